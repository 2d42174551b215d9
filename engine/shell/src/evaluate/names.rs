//! Names that mean something to the shells themselves: builtins, and variables that steer the shell or change by themselves.
//!
//! Sources: the bash 5.2 manual ("Shell Variables", "Shell Builtin Commands"), dash(1), zshparam(1) and zshbuiltins(1).

use crate::Shell;

/// Builtins of every shell that is followed here.
const COMMON: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "export", "false", "fc", "fg", "getopts", "hash", "history", "jobs", "kill", "local", "printf", "pwd",
    "read", "readonly", "return", "set", "shift", "test", "times", "trap", "true", "type", "ulimit", "umask",
    "unalias", "unset", "wait",
];

/// Builtins of bash beyond the common ones.
const BASH: &[&str] = &[
    "bind",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "declare",
    "dirs",
    "disown",
    "enable",
    "help",
    "let",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "readarray",
    "shopt",
    "source",
    "suspend",
    "typeset",
];

/// Builtins of zsh beyond the common ones.
const ZSH: &[&str] = &[
    "-",
    "autoload",
    "bindkey",
    "builtin",
    "bye",
    "cap",
    "chdir",
    "clone",
    "compadd",
    "comparguments",
    "compcall",
    "compctl",
    "compdescribe",
    "compfiles",
    "compgroups",
    "compquote",
    "compset",
    "comptags",
    "comptry",
    "compvalues",
    "declare",
    "dirs",
    "disable",
    "disown",
    "echotc",
    "echoti",
    "emulate",
    "enable",
    "float",
    "functions",
    "getcap",
    "getln",
    "integer",
    "let",
    "limit",
    "log",
    "logout",
    "mapfile",
    "noglob",
    "nocorrect",
    "popd",
    "print",
    "private",
    "pushd",
    "pushln",
    "r",
    "rehash",
    "repeat",
    "sched",
    "setcap",
    "setopt",
    "source",
    "stat",
    "strftime",
    "suspend",
    "sysopen",
    "sysread",
    "sysseek",
    "syswrite",
    "ttyctl",
    "typeset",
    "unfunction",
    "unhash",
    "unlimit",
    "unsetopt",
    "vared",
    "whence",
    "where",
    "which",
    "zcompile",
    "zcurses",
    "zformat",
    "zf_chgrp",
    "zf_chmod",
    "zf_chown",
    "zf_ln",
    "zf_mkdir",
    "zf_mv",
    "zf_rm",
    "zf_rmdir",
    "zf_sync",
    "zftp",
    "zle",
    "zmodload",
    "zparseopts",
    "zprof",
    "zpty",
    "zregexparse",
    "zselect",
    "zsocket",
    "zstat",
    "zstyle",
    "zsystem",
    "ztcp",
];

/// Whether a command of this name is a builtin of the shell.
pub(super) fn is_builtin(shell: Shell, name: &str) -> bool {
    COMMON.contains(&name)
        || match shell {
            Shell::Bash => BASH.contains(&name),
            Shell::Zsh => ZSH.contains(&name),
            Shell::Sh => matches!(name, "chdir"),
        }
}

/// Whether the name is a builtin of another shell that may be the one called `sh`.
pub(super) fn is_foreign_builtin(shell: Shell, name: &str) -> bool {
    shell == Shell::Sh && BASH.contains(&name)
}

/// Whether an assignment changes how the shell reads or runs later words of the text.
pub(super) fn steers(shell: Shell, name: &str) -> bool {
    let everywhere = matches!(
        name,
        "PATH"
            | "IFS"
            | "ENV"
            | "SHELLOPTS"
            | "PS4"
            | "PROMPT_COMMAND"
            | "GLOBIGNORE"
            | "CDPATH"
            | "POSIXLY_CORRECT"
            | "EXECIGNORE"
            | "FUNCNEST"
            | "HOSTFILE"
            | "INPUTRC"
            | "HISTFILE"
            | "DIRSTACK"
            | "GROUPS"
            | "FUNCNAME"
            | "UID"
            | "EUID"
            | "PPID"
            | "PIPESTATUS"
            | "HISTCMD"
    ) || name.starts_with("BASH");
    let zsh = matches!(
        name,
        "path"
            | "fpath"
            | "FPATH"
            | "cdpath"
            | "options"
            | "functions"
            | "dis_functions"
            | "aliases"
            | "galiases"
            | "saliases"
            | "dis_aliases"
            | "commands"
            | "builtins"
            | "nameddirs"
            | "userdirs"
            | "modules"
            | "NULLCMD"
            | "READNULLCMD"
            | "argv"
            | "status"
            | "pipestatus"
            | "ZDOTDIR"
            | "prompt"
            | "PROMPT"
            | "PROMPT2"
            | "PROMPT3"
            | "PROMPT4"
            | "RPROMPT"
            | "RPS1"
            | "PS1"
            | "PS2"
            | "PS3"
            | "psvar"
            | "histchars"
            | "GID"
            | "EGID"
            | "USERNAME"
            | "HISTSIZE"
            | "SAVEHIST"
            | "SHLVL"
            | "KEYTIMEOUT"
            | "ERRNO"
            | "MAILCHECK"
            | "LISTMAX"
            | "BAUD"
            | "TTYIDLE"
            | "TRY_BLOCK_ERROR"
            | "TRY_BLOCK_INTERRUPT"
            | "mapfile"
            | "dirstack"
            | "TMPPREFIX"
            | "module_path"
            | "MODULE_PATH"
            | "STTY"
            | "precmd_functions"
            | "preexec_functions"
            | "chpwd_functions"
            | "zshexit_functions"
            | "WORDCHARS"
            | "FIGNORE"
            | "fignore"
            | "SPROMPT"
            | "DIRSTACKSIZE"
            | "LOGCHECK"
    );
    everywhere || (shell == Shell::Zsh && zsh)
}

/// Variables of the shell that evaluate what is assigned to them as arithmetic.
pub(super) fn evaluates_numbers(name: &str) -> bool {
    matches!(
        name,
        "RANDOM"
            | "SECONDS"
            | "OPTIND"
            | "SRANDOM"
            | "LINENO"
            | "EPOCHSECONDS"
            | "COLUMNS"
            | "LINES"
            | "TMOUT"
            | "OPTERR"
    )
}

/// Variables that the shell itself sets to a number, whatever the text assigns.
pub(super) fn is_number_by_itself(shell: Shell, name: &str) -> bool {
    match shell {
        Shell::Bash => matches!(
            name,
            "RANDOM"
                | "SRANDOM"
                | "SECONDS"
                | "LINENO"
                | "PPID"
                | "UID"
                | "EUID"
                | "BASHPID"
                | "EPOCHSECONDS"
        ),
        Shell::Zsh => matches!(
            name,
            "RANDOM" | "SECONDS" | "LINENO" | "PPID" | "UID" | "EUID" | "GID" | "EGID"
        ),
        Shell::Sh => name == "PPID",
    }
}

/// Variables that change by themselves to what is not followed.
pub(super) fn changes_by_itself(name: &str) -> bool {
    matches!(
        name,
        "_" | "FUNCNAME"
            | "DIRSTACK"
            | "GROUPS"
            | "PIPESTATUS"
            | "COLUMNS"
            | "LINES"
            | "HISTCMD"
            | "EPOCHREALTIME"
            | "COPROC"
            | "SHELLOPTS"
            | "OPTIND"
            | "RANDOM"
            | "SRANDOM"
            | "SECONDS"
            | "LINENO"
            | "EPOCHSECONDS"
            | "argv"
            | "status"
            | "pipestatus"
            | "dirstack"
            | "path"
            | "MATCH"
            | "MBEGIN"
            | "MEND"
            | "match"
            | "mbegin"
            | "mend"
            | "ERRNO"
            | "TTYIDLE"
    ) || name.starts_with("BASH")
}

/// Whether this is a plain variable name.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The special builtins of POSIX, before which assignments stay in a POSIX shell.
pub(super) fn is_special(name: &str) -> bool {
    matches!(
        name,
        ":" | "."
            | "break"
            | "continue"
            | "eval"
            | "exec"
            | "exit"
            | "export"
            | "readonly"
            | "return"
            | "set"
            | "shift"
            | "times"
            | "trap"
            | "unset"
    )
}
