// Watches a stock shell: preloaded into it, this library writes down what the shell asks the system for and lets none of it
// happen. The same library, loaded into bash as a builtin (`serve`), forks one child for each text it is sent.
//
// Invariants:
//  - while a process is armed no program is executed: `execve` is written down and ends the process, as a program would;
//  - while a process is armed nothing outside it changes: files, directories, signals and connections are only written down;
//  - what is written down lies in shared memory, so a text cannot close, redirect or rewrite it by shell means.
//
// It is a test tool. It names entry points of bash (`parse_and_execute`, ...) and is never part of a shipped program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------- the log, shared with the driver

#define LOG_BYTES (1u << 20)

struct log {
    _Atomic uint32_t used;       // bytes of `data` that are claimed
    _Atomic uint32_t run;        // number of the run; stragglers of an earlier one are ignored
    _Atomic uint32_t forks;      // forks so far in this run
    _Atomic uint32_t executed;   // programs so far in this run
    _Atomic uint32_t flags;      // enum flag
    _Atomic uint32_t status;     // enum status
    _Atomic uint32_t output;     // index into `outputs`
    _Atomic uint32_t fork_limit; // forks that one run may make
    char data[];
};

enum flag { FLAG_LOG_FULL = 1, FLAG_FORK_LIMIT = 2, FLAG_TIME_OUT = 4 };
enum status { STATUS_SUCCEED = 0, STATUS_FAIL = 1, STATUS_MIXED = 2 };

// What a program prints and a file holds. The third would run code wherever the shell evaluates a value once more.
static const char *const outputs[] = {"", "o1 o2\n", "v[$(pwned)] $(pwned) `pwned` * -x\n", "3\n"};

static struct log *book;
static uint32_t my_run;
static int armed;
static pid_t leader;
static char directory[4096];

static const char *output_text(void) {
    uint32_t which = book->output;
    return which < sizeof outputs / sizeof *outputs ? outputs[which] : "";
}

// One record: its length, the number of the run, one byte for its kind, and its fields, each ended by a NUL. The length is
// stored last, so that a reader never sees half of a record as a whole one.
static void note(char kind, const char *const *fields, size_t count) {
    if (!book || book->run != my_run) return;
    size_t size = sizeof my_run + 1;
    for (size_t i = 0; i < count; i++) size += strlen(fields[i]) + 1;
    uint32_t claim = (uint32_t)((4 + size + 3) & ~(size_t)3);
    if (size > LOG_BYTES / 2) { book->flags |= FLAG_LOG_FULL; return; }
    uint32_t at = atomic_fetch_add(&book->used, claim);
    if (at + claim > LOG_BYTES - sizeof *book) { book->flags |= FLAG_LOG_FULL; return; }
    char *to = book->data + at + 4;
    memcpy(to, &my_run, sizeof my_run);
    to += sizeof my_run;
    *to++ = kind;
    for (size_t i = 0; i < count; i++) to = stpcpy(to, fields[i]) + 1;
    atomic_store((_Atomic uint32_t *)(book->data + at), (uint32_t)size);
}

static void note_two(char kind, const char *first, const char *second) {
    const char *fields[] = {first ? first : "", second ? second : ""};
    note(kind, fields, 2);
}

// ---------------------------------------------------------------------------------------------- arming

static pid_t real_fork(void) {
    static pid_t (*next)(void);
    if (!next) next = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    return next();
}

static int real_open(const char *path, int flags, mode_t mode) { return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode); }

static void arm(void) {
    my_run = book->run;
    leader = getpid();
    if (syscall(SYS_getcwd, directory, sizeof directory) <= 0) strcpy(directory, "/");
    struct rlimit seconds = {1, 2};
    setrlimit(RLIMIT_CPU, &seconds);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    armed = 1;
}

// bash has its own `getenv` and `unsetenv`, which do not touch the environment; this does, before the shell reads it.
static const char *take(const char *name) {
    size_t length = strlen(name);
    for (char **at = environ; *at; at++) {
        if (strncmp(*at, name, length) || (*at)[length] != '=') continue;
        const char *value = *at + length + 1;
        for (; *at; at++) *at = at[1];
        return value;
    }
    return NULL;
}

static int log_number = -1;
static const char *preload;

__attribute__((constructor)) static void begin(void) {
    const char *fd = take("SOUNDNESS_LOG");
    int armed_from_start = take("SOUNDNESS_ARM") != NULL;
    preload = take("LD_PRELOAD");
    if (!fd) return;
    log_number = atoi(fd);
    void *memory = mmap(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, log_number, 0);
    if (memory == MAP_FAILED) _exit(120);
    book = memory;
    if (armed_from_start) {
        close(log_number);
        arm();
    }
}

// ---------------------------------------------------------------------------------------------- programs

static int succeeds(char *const argv[]) {
    uint32_t before = atomic_fetch_add(&book->executed, 1);
    uint32_t hash = 2166136261u;
    switch (book->status) {
    case STATUS_SUCCEED: return 1;
    case STATUS_FAIL: return 0;
    default:
        for (size_t i = 0; argv[i]; i++)
            for (const char *c = argv[i]; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
        // The same command answers the same for a while and then changes, so that loops end.
        return (int)(((hash >> 7) ^ (before >> 2)) & 1);
    }
}

// The variables that a program would inherit, except those that the shell keeps itself.
static void note_environment(char *const envp[]) {
    static const char *const kept[] = {"_=", "PWD=", "OLDPWD=", "SHLVL=", "LINES=", "COLUMNS="};
    for (size_t i = 0; envp && envp[i]; i++) {
        size_t known = 0;
        while (known < sizeof kept / sizeof *kept && strncmp(envp[i], kept[known], strlen(kept[known]))) known++;
        if (known == sizeof kept / sizeof *kept) note_two('V', envp[i], "");
    }
}

static void put(const char *text, size_t length) {
    ssize_t written = length ? write(1, text, length) : 0;
    (void)written;
}

static void put_text(const char *text) { put(text, strlen(text)); }

struct word { char *text; int flags; };
struct words { struct words *next; struct word *word; };

extern int echo_builtin(struct words *) __attribute__((weak));
extern int printf_builtin(struct words *) __attribute__((weak));

// What bash's own command of that name prints for these words.
static int print_by_bash(int (*builtin)(struct words *), char *const argv[]) {
    struct words *list = NULL;
    size_t count = 0;
    while (argv[count]) count++;
    while (count-- > 1) {
        struct words *first = malloc(sizeof *first);
        first->word = malloc(sizeof *first->word);
        first->word->text = strdup(argv[count]);
        first->word->flags = 0;
        first->next = list;
        list = first;
    }
    builtin(list);
    fflush(stdout);
    return 1;
}

// The commands whose output the analysis knows from their words print it, whatever else programs print.
static int print_known(char *const argv[]) {
    if (!strcmp(argv[0], "echo") && &echo_builtin) return print_by_bash(echo_builtin, argv);
    if (!strcmp(argv[0], "printf") && &printf_builtin) return print_by_bash(printf_builtin, argv);
    if (!strcmp(argv[0], "pwd") && !argv[1]) {
        put_text(directory);
        put("\n", 1);
        return 1;
    }
    if (!strcmp(argv[0], "cat") && !argv[1]) {
        char block[4096];
        ssize_t got;
        for (size_t total = 0; total < 65536 && (got = read(0, block, sizeof block)) > 0; total += (size_t)got) put(block, (size_t)got);
        return 1;
    }
    return 0;
}

int execve(const char *path, char *const argv[], char *const envp[]) {
    if (!armed) return (int)syscall(SYS_execve, path, argv, envp);
    static const char *fields[2048];
    size_t count = 2;
    fields[0] = directory;
    fields[1] = path;
    for (size_t i = 0; argv[i] && count < 2048; i++) fields[count++] = argv[i];
    if (count == 2048 && book) book->flags |= FLAG_LOG_FULL;
    note('E', fields, count);
    note_environment(envp);
    if (!argv[0] || !print_known(argv)) put_text(output_text());
    _exit(succeeds(argv) ? 0 : 1);
}

pid_t fork(void) {
    if (armed) {
        if (book->run != my_run) _exit(1);
        if (atomic_fetch_add(&book->forks, 1) >= book->fork_limit) {
            book->flags |= FLAG_FORK_LIMIT;
            _exit(1);
        }
    }
    return real_fork();
}

pid_t vfork(void) { return fork(); }

// ---------------------------------------------------------------------------------------------- names that exist

// Every plain name is found on PATH, except those that begin with `nosuch`.
static int pretend(const char *path, struct stat *result) {
    if (!armed || strncmp(path, "/S/", 3) || !path[3] || strchr(path + 3, '/') || !strncmp(path + 3, "nosuch", 6)) return 0;
    memset(result, 0, sizeof *result);
    result->st_mode = S_IFREG | 0755;
    result->st_size = 100;
    result->st_nlink = 1;
    return 1;
}

static int look(int at, const char *path, struct stat *result, int flags) {
    return pretend(path, result) ? 0 : fstatat(at, path, result, flags);
}

int stat(const char *path, struct stat *result) { return look(AT_FDCWD, path, result, 0); }
int lstat(const char *path, struct stat *result) { return look(AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW); }
int stat64(const char *path, struct stat64 *result) { return look(AT_FDCWD, path, (struct stat *)result, 0); }
int lstat64(const char *path, struct stat64 *result) { return look(AT_FDCWD, path, (struct stat *)result, AT_SYMLINK_NOFOLLOW); }

static int may(int at, const char *path, int mode, int flags) {
    struct stat unused;
    return pretend(path, &unused) ? 0 : (int)syscall(SYS_faccessat2, at, path, mode, flags);
}

int access(const char *path, int mode) { return may(AT_FDCWD, path, mode, 0); }
int eaccess(const char *path, int mode) { return may(AT_FDCWD, path, mode, AT_EACCESS); }
int faccessat(int at, const char *path, int mode, int flags) { return may(at, path, mode, flags); }

// ---------------------------------------------------------------------------------------------- files

static int memory_file(const char *text) {
    int low = memfd_create("soundness", MFD_CLOEXEC);
    if (low < 0) return low;
    ssize_t written = write(low, text, strlen(text));
    (void)written;
    lseek(low, 0, SEEK_SET);
    return low;
}

// The shells keep here-documents in temporary files of their own, which are memory here. One is made and read through two
// opens of the same name.
static struct { char path[256]; int fd; } kept[8];

static int keep(const char *path) {
    static unsigned next;
    int low = memory_file("");
    if (low < 0 || strlen(path) >= sizeof kept->path) return low;
    unsigned slot = next++ % 8;
    if (kept[slot].path[0]) close(kept[slot].fd);
    strcpy(kept[slot].path, path);
    kept[slot].fd = fcntl(low, F_DUPFD_CLOEXEC, 230);
    return low;
}

static int is_temporary(const char *path) { return !strncmp(path, "/tmp/sh-thd.", 12) || !strncmp(path, "/tmp/zsh", 8); }

static int shells_own(const char *path, int flags) {
    if (!is_temporary(path)) return -2;
    for (unsigned i = 0; i < 8; i++) {
        if (strcmp(kept[i].path, path)) continue;
        char name[64];
        snprintf(name, sizeof name, "/proc/self/fd/%d", kept[i].fd);
        return real_open(name, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW), 0);
    }
    return flags & O_EXCL ? keep(path) : -2;
}

int mkstemp(char *template) {
    static int (*next)(char *);
    static unsigned count;
    if (!next) next = (int (*)(char *))dlsym(RTLD_NEXT, "mkstemp");
    size_t length = strlen(template);
    if (!armed || length < 6 || !is_temporary(template)) return next(template);
    snprintf(template + length - 6, 7, "%06u", count++ % 1000000);
    return keep(template);
}

static int watched_open(const char *path, int flags, mode_t mode) {
    if (!armed) return real_open(path, flags, mode);
    int own = shells_own(path, flags);
    if (own != -2) return own;
    int way = flags & O_ACCMODE;
    const char *name = way == O_RDONLY ? "read" : way == O_RDWR ? "read-write" : flags & O_APPEND ? "append" : "write";
    const char *fields[] = {directory, name, path};
    note('O', fields, 3);
    if (!strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/dev/std", 8) || !strcmp(path, "/dev/null") ||
        !strncmp(path, "/proc/self/fd/", 14))
        return real_open(path, flags & ~(O_CREAT | O_TRUNC | O_EXCL), 0);
    if (way == O_RDONLY) {
        // A shell's own configuration is what a text starts from, not a part of it.
        if (!strncmp(path, "/etc/zsh/", 9)) return real_open("/dev/null", O_RDONLY, 0);
        if (book->status == STATUS_FAIL) { errno = ENOENT; return -1; }
        return memory_file(output_text());
    }
    return real_open("/dev/null", way, 0);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return watched_open(path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int creat(const char *path, mode_t mode) { return watched_open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

FILE *fopen(const char *path, const char *mode) {
    static FILE *(*next)(const char *, const char *);
    if (!next) next = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    if (!armed) return next(path, mode);
    const char *fields[] = {directory, *mode == 'r' ? "read" : *mode == 'a' ? "append" : "write", path};
    note('O', fields, 3);
    return next("/dev/null", mode);
}

#define WATCH_ONE(kind, name)                                                                                                    \
    int name(const char *path) {                                                                                                 \
        if (!armed) return (int)syscall(SYS_##name, path);                                                                       \
        if (!is_temporary(path)) note_two(kind, #name, path);                      \
        return 0;                                                                                                                \
    }
WATCH_ONE('W', unlink)
WATCH_ONE('W', rmdir)

#define WATCH_TWO(name)                                                                                                          \
    int name(const char *from, const char *to) {                                                                                 \
        if (!armed) return (int)syscall(SYS_##name, from, to);                                                                   \
        note_two('W', #name, to);                                                                                                \
        return 0;                                                                                                                \
    }
WATCH_TWO(rename)
WATCH_TWO(link)
WATCH_TWO(symlink)

int mkdir(const char *path, mode_t mode) {
    if (!armed) return (int)syscall(SYS_mkdir, path, mode);
    note_two('W', "mkdir", path);
    return 0;
}
int chmod(const char *path, mode_t mode) {
    if (!armed) return (int)syscall(SYS_chmod, path, mode);
    note_two('W', "chmod", path);
    return 0;
}
int chown(const char *path, uid_t user, gid_t group) {
    if (!armed) return (int)syscall(SYS_chown, path, user, group);
    note_two('W', "chown", path);
    return 0;
}

void *dlopen(const char *path, int flags) {
    static void *(*next)(const char *, int);
    if (!next) next = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    if (!armed || !path) return next(path, flags);
    note_two('D', path, "");
    // zsh keeps parts of itself in modules under its own directory.
    return strncmp(path, "/usr/lib", 8) ? NULL : next(path, flags);
}

// Looking a user up is the C library's business; what it opens for that is not what the text asked for.
#define WATCH_USER(name, type)                                                                                                   \
    struct passwd *name(type key) {                                                                                              \
        static struct passwd *(*next)(type);                                                                                     \
        if (!next) next = (struct passwd * (*)(type)) dlsym(RTLD_NEXT, #name);                                                   \
        int before = armed;                                                                                                      \
        armed = 0;                                                                                                               \
        struct passwd *found = next(key);                                                                                        \
        armed = before;                                                                                                          \
        return found;                                                                                                            \
    }
WATCH_USER(getpwnam, const char *)
WATCH_USER(getpwuid, uid_t)

// ---------------------------------------------------------------------------------------------- directories

// Follows `path` from `directory` by text alone, so that a directory need not exist.
static void follow(const char *path) {
    char result[sizeof directory];
    size_t length = 0;
    if (*path != '/') {
        strcpy(result, directory);
        length = strlen(result);
        if (length == 1) length = 0;
    }
    while (*path) {
        size_t part = strcspn(path, "/");
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (length && result[--length] != '/') {}
        } else if (part && !(part == 1 && *path == '.') && length + part + 2 < sizeof result) {
            result[length++] = '/';
            memcpy(result + length, path, part);
            length += part;
        }
        path += part;
        path += *path == '/';
    }
    if (!length) result[length++] = '/';
    result[length] = 0;
    strcpy(directory, result);
}

int chdir(const char *path) {
    if (!armed) return (int)syscall(SYS_chdir, path);
    const char *fields[] = {directory, path};
    note('C', fields, 2);
    if (book->status == STATUS_FAIL || !*path) { errno = ENOENT; return -1; }
    follow(path);
    return 0;
}

char *getcwd(char *buffer, size_t size) {
    static char *(*next)(char *, size_t);
    if (!next) next = (char *(*)(char *, size_t))dlsym(RTLD_NEXT, "getcwd");
    if (!armed) return next(buffer, size);
    if (!buffer) return strdup(directory);
    if (strlen(directory) >= size) { errno = ERANGE; return NULL; }
    return strcpy(buffer, directory);
}

// ---------------------------------------------------------------------------------------------- signals, groups, the network

int kill(pid_t to, int number) {
    if (!armed || !number) return (int)syscall(SYS_kill, to, number);
    char name[16];
    snprintf(name, sizeof name, "%d", number);
    note_two('K', name, "");
    // A text may signal itself, since a trap may answer; nothing else, and not by what cannot be caught.
    if (to == leader && number != SIGKILL && number != SIGSTOP) return (int)syscall(SYS_kill, to, number);
    return 0;
}
int killpg(pid_t to, int number) { return armed ? kill(-to, number) : (int)syscall(SYS_kill, -to, number); }
int setpgid(pid_t process, pid_t group) { return armed ? 0 : (int)syscall(SYS_setpgid, process, group); }

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    if (!armed) return (int)syscall(SYS_connect, fd, address, length);
    note_two('N', "", "");
    errno = ECONNREFUSED;
    return -1;
}
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    (void)hints;
    (void)found;
    note_two('N', host, service);
    return EAI_FAIL;
}

// ---------------------------------------------------------------------------------------------- the fork server, a builtin of bash

struct builtin { char *name; int (*run)(struct words *); int flags; char *const *help; const char *usage; char *handle; };

extern int parse_and_execute(char *, const char *, int) __attribute__((weak));
extern void exit_shell(int) __attribute__((weak));
extern int last_command_exit_value __attribute__((weak));
extern pid_t dollar_dollar_pid __attribute__((weak));

enum { AS_COMMAND_STRING = 0x04 | 0x10 }; // no history; forget line numbers afterwards: what `bash -c` passes
enum { TIME_OUT_MS = 500 };

static int read_all(int fd, void *to, size_t size) {
    for (char *at = to; size;) {
        ssize_t got = read(fd, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        at += got;
        size -= (size_t)got;
    }
    return 0;
}

static void quiet_descriptors(void) {
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
    if (nothing > 2) close(nothing);
}

static void give_input(void) {
    const char *text = output_text();
    if (!*text) return;
    int fd = memory_file(text);
    dup2(fd, 0);
    if (fd > 0) close(fd);
}

static void run_here(char *text) {
    if (&dollar_dollar_pid) dollar_dollar_pid = getpid();
    arm();
    parse_and_execute(strdup(text), "-c", AS_COMMAND_STRING);
    exit_shell(last_command_exit_value);
}

static void run_shell(struct words *shell, char *text) {
    char *argv[16];
    size_t count = 0;
    for (; shell && count < 14; shell = shell->next) argv[count++] = shell->word->text;
    argv[count++] = text;
    argv[count] = NULL;
    char log_fd[32], library[512];
    snprintf(log_fd, sizeof log_fd, "SOUNDNESS_LOG=%d", log_number);
    snprintf(library, sizeof library, "LD_PRELOAD=%s", preload);
    char *env[32] = {"SOUNDNESS_ARM=1", log_fd, library};
    for (size_t i = 0; environ[i] && i < 28; i++) env[i + 3] = environ[i];
    syscall(SYS_execve, argv[0], argv, env);
    _exit(127);
}

// serve [SHELL ARG...]: reads texts (length, bytes) and answers each with the status of its child. Without arguments the
// child is a fork of this bash; with them it is that shell, started with the text as its last argument.
static int serve(struct words *shell) {
    int requests = fcntl(0, F_DUPFD_CLOEXEC, 200), replies = fcntl(1, F_DUPFD_CLOEXEC, 200);
    quiet_descriptors();
    sigset_t children, before;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, &before);
    if (!shell) close(log_number);
    char *text = NULL;
    uint32_t length;
    while (!read_all(requests, &length, sizeof length)) {
        text = realloc(text, (size_t)length + 1);
        if (!text || read_all(requests, text, length)) break;
        text[length] = 0;
        int alive[2];
        if (pipe(alive)) break;
        int held = fcntl(alive[1], F_DUPFD, 210);
        close(alive[1]);
        pid_t child = real_fork();
        if (child < 0) break;
        if (!child) {
            setpgid(0, 0);
            close(alive[0]);
            close(requests);
            close(replies);
            give_input();
            sigprocmask(SIG_SETMASK, &before, NULL);
            if (shell) run_shell(shell, text);
            run_here(text);
        }
        setpgid(child, child);
        close(held);
        // Every process of the run holds the other end: end of file says that the last of them has gone.
        struct pollfd wait = {alive[0], POLLIN, 0};
        if (poll(&wait, 1, TIME_OUT_MS) <= 0) book->flags |= FLAG_TIME_OUT;
        syscall(SYS_kill, -child, SIGKILL);
        // None of them may write into the log of the next run.
        poll(&wait, 1, TIME_OUT_MS);
        int status = 0;
        waitpid(child, &status, 0);
        close(alive[0]);
        while (waitpid(-1, NULL, WNOHANG) > 0) {}
        uint32_t reply = (uint32_t)status;
        if (write(replies, &reply, sizeof reply) != sizeof reply) break;
    }
    _exit(0);
}

static char *const serve_help[] = {"runs the texts it is sent", NULL};
struct builtin serve_struct = {"serve", serve, 1, serve_help, "serve [shell arg...]", NULL};
