//! The pieces that generated texts are made of. `plain` ones stand for what people write every day, `awkward` ones for what readers
//! have been seen to misread, and for what is outside of the understood grammar.

use super::Pieces;

/// Programs as they are named. `nosuch...` is never found.
pub(super) const PROGRAMS: Pieces = Pieces {
    plain: &[
        "e1", "e2", "e3", "e4", "ls", "rm", "cat", "git", "grep", "find", "env", "./run.sh", "/usr/bin/env", "../up", "echo", "printf", "test", "true",
        "false", ":", "python3 -", "sed -n", "dir/x", "[ a = a ] ;", "kill -0 1 ;", "echo e1",
    ],
    awkward: &["nosuch1", "sudo", "xargs", "timeout 5", "nohup", "sh -c", "kill", "[", "e1\\\nx", "\\e1", "'e1'", "$x", "\"$x\"", "e\"1\"", "*", "~/e1", "{e1,a}", "$(e1)", "`e1`", "e1=", "-", "1", "]]", "}"],
};

/// Builtins that change the shell, with room for words after them.
pub(super) const BUILTINS: Pieces = Pieces {
    plain: &[
        "cd", "cd ..", "cd -", "cd dir", "cd nodir", "cd /tmp", "cd \"$x\"", "cd dir/../src", "pushd dir", "popd", "export", "export x=", "export x", "declare x=", "declare -a a=", "declare -r y=", "readonly x=",
        "typeset x=", "unset x", "unset", "unset -f f", "set --", "set -- a", "set -e", "set -u", "set -x", "set -f", "set +f", "set -o pipefail", "set -eu", "shift", "shift 2", "read x", "read -r x y", "read", "read -r -p a x", "mapfile -t a",
        "trap 'e9' EXIT", "trap - EXIT", "eval e9", "eval 'e8; e9'", "exec e9", "exec >f", "exec 3<f", "command e9", "command -v e9", "command", "builtin cd", "exit", "exit 1", "return", "return 1", "break", "continue",
        "break 2", "wait", "wait $!", "[ -f a.txt ]", "[ -n \"$x\" ]", "[ a = b ]", "test -d dir", "type e1", "umask 022", "local x=", "printf %s", "true", "hash -r",
    ],
    awkward: &[
        "cd -P", "cd -L dir", "cd --", "cd ''", "cd -e", "cd dir src", "pushd", "pushd +1", "popd +0", "pushd -n dir", "dirs -c", "declare -i x=", "declare -n x=", "declare -A a=", "declare -u x=", "declare -x", "declare -p", "declare -f", "declare -g x=", "export -n x", "export -f f", "readonly -a a=",
        "unset \"$x\"", "unset a[0]", "set", "set +e", "set -n", "set -v", "set -k", "set -a", "set -h", "set -m", "set -P", "set -o", "set -o noexec", "set -o posix", "set -o noglob", "set -C", "set -B", "set +B", "set -", "set -T", "set -E", "shift $x", "read \"$x\"", "read -a a", "read -d x y", "read -u 3 x", "read -n 1 x", "read a[0]",
        "mapfile", "mapfile -C e9 -c 1 a", "readarray x", "trap \"e9 $x\" INT", "trap", "trap '' INT", "trap e9 DEBUG", "trap e9 ERR", "trap e9 RETURN", "trap -p", "trap -- 'e9' 0", "eval \"$x\"", "eval", "eval --", ". ./f", "source f", ". f a", "exec", "exec -a n e9", "exec -c e9", "exec $x", "command -p e9", "command -V e9",
        "command -- e9", "command $x", "builtin echo", "builtin", "builtin eval e9", "builtin $x", "exit $x", "return $x", "continue 2", "getopts ab: x", "getopts ab: x a b", "shopt -s nullglob", "shopt -s extglob", "shopt -s expand_aliases", "shopt -s globstar", "shopt -s dotglob", "shopt -s failglob", "shopt -s nocaseglob", "shopt -s lastpipe",
        "shopt -s xpg_echo", "shopt -s cdable_vars", "shopt -s autocd", "shopt -u interactive_comments", "shopt", "hash -p /bin/e9 e1", "hash e1", "alias e1=e9", "alias e1='e9 '", "unalias -a", "enable -n cd", "enable -f x y", "let x=1", "let \"x=a[1]\"", "printf -v x %s", "printf -v a[0] %s", "test -v x", "test -v a[0]", "[ $x -eq 1 ]", "[ -v x ]", "[ ! a ]", "test a -o b",
        "ulimit -n", "local -n x=", "local", "dirs", "times", "jobs", "kill $$", "kill -TERM $$", "kill %1", "bg", "fg", "disown", "suspend", "logout", "history", "history -w f", "fc -l", "bind -x", "complete -C e9 e1", "compgen -C e9", "compgen -W '$(e9)'", "caller", "help", "wait -n", "wait -p x", "-", "noglob e9", "nocorrect e9", "repeat 2 e9",
        "coproc e9", "time", "then", "do", "in", "exec -l e9", "command command e9", "command exec e9", "eval eval e9", "eval \"e1 \\$x\"", "umask", "export PATH=", "export LC_ALL=", "unset PATH", "export BASH_ENV=",
    ],
};

/// Names of variables.
pub(super) const NAMES: Pieces = Pieces {
    plain: &["x", "x", "y", "a", "i", "file"],
    awkward: &["HOME", "PWD", "IFS", "PATH", "_", "OLDPWD", "REPLY", "PS4", "BASH_ENV", "1", "f", "CDPATH", "GLOBIGNORE", "OPTIND", "RANDOM", "BASH_CMDS", "ENV", "LANG", "é", "x-y", "DIRSTACK", "BASHOPTS", "SHELLOPTS", "POSIXLY_CORRECT", "FUNCNAME", "TMPDIR", "UID", "LINENO", "EXECIGNORE", "histchars", "COLUMNS"],
};

/// What separates statements.
pub(super) const SEPARATORS: Pieces = Pieces {
    plain: &["; ", ";", "\n", "\n", "\n\n", " && ", " || ", " & ", "&", "\n# c\n", " # c\n", " ;\n", "&&\n", " ||\n"],
    awkward: &["\\\n;", ";;", "\r\n", "&;", "\n;", " && \\\n", "|&", "\u{b}", "\n\\\n", "#c\n", "; # 'c\n", "\n#\\\n", " &&& ", "&!", "&|", ";&"],
};

/// Plain pieces of words.
pub(super) const LITERALS: Pieces = Pieces {
    plain: &["a", "b", "x", "a.txt", "dir/x", "-n", "--flag", "--opt=v", "1", "0", "-", "--", "/tmp/f", "./f", "..", ".", "a=b", "a:b", "@", "+", "é", "e9", "sp\\ ace", "\\;", "\\$x", "\\\\", "\\\"", "\\'", "a,b", "%d", "a~", "x%y", "\\*", "\\~", "\\{a,b}"],
    awkward: &["done", "then", "fi", "in", "!", "{", "}", "]", "]]", "[", "#c", "a#b", "\\a", "\\\n", "x\\\ny", ",", "^", "=", "~", "%1", "do", "case", "a=(", "1a=", "\\\t", "\u{a0}", "\u{2028}", "\u{1}", "!x", "a!b", "=e9", "^a^b", "?(a)", "x=(a b)", "{}", "\\", "\r", "-é", "a\\\nb\\\nc", "\\#", "a\\ #b"],
};

/// Pieces that expand to files or lists.
pub(super) const PATTERNS: Pieces = Pieces {
    plain: &["*", "*.c", "?", "dir/*", "[ab].c", "[!a]*", "[a-z]", ".*", "*/*.c", "{a,b}", "{a,b}c", "{1..3}", "{a..c}", "{a,{b,c}}", "{x,$x}", "{,a}", "~", "~/f", "{a,b}{c,d}", "{a,*.c}", "{a,'b c'}", "-*"],
    awkward: &["**", "{a", "a,b}", "{a}", "{1..3..2}", "{01..03}", "~root", "~+", "~-/f", "x=~", "@(a|b)", "!(a)", "*(a)", "[[:alpha:]]", "[]a]", "a[1]", "{$(e9),b}", "{a..$x}", "{1..a}", "{-1..1}", "{a,b", "{3..1}", "{a,b\\,c}", "{a,\"b}\"", "[", "[a", "[!]", "[^a]", "[a\\]b]", "[$x]", "[\"a\"]*", "~$x", "\\~/x", "~\"/x\"", "a:~", "--x=~/f", "x=~/f:~/g", "[a/b]", "*\\*", "${x}*", "{a,~}", "~/{a,b}", "${x}{a,b}", "{a,b}$x", "$x{1..2}", "{a,b}=c", "x={a,b}", "{a,#b}", "{1..99999}", "{a..Z}", "*[", ".[!.]*", "../*"],
};

/// Operators of parameter expansion that take a word.
pub(super) const OPERATORS: Pieces = Pieces {
    plain: &[":-", "-", ":=", "=", ":+", "+", ":?", "?", "#", "##", "%", "%%", "/", "//"],
    awkward: &["/#", "/%", "^", "^^", ",", ",,", ":", "@", "[", "~", "~~", "!", "&", ".", " ", "::", "#/", "//#"],
};

/// Expansions as they are written.
pub(super) const EXPANSIONS: Pieces = Pieces {
    plain: &["$x", "$y", "${x}", "\"$x\"", "\"${y}\"", "$1", "$2", "$@", "\"$@\"", "\"$*\"", "$#", "$?", "${#x}", "${x:-}", "${x-a}", "\"${a[@]}\"", "$HOME", "$PWD", "$x$y", "$x/f", "a$x", "${x}b", "$file", "${x:1}", "${x:1:2}", "${x%.*}", "${x##*/}", "$a", "$i", "${y:-b}", "${x:+c}"],
    awkward: &["${10}", "$*", "$$", "$!", "$-", "$0", "$_", "${#}", "${#@}", "${x[0]}", "${a[@]}", "${a[*]}", "${a[-1]}", "${#a[@]}", "${!x}", "${x@Q}", "${x@P}", "${x: -1}", "${x:y}", "${@:1}", "${@:2:1}", "$OLDPWD", "$IFS", "$RANDOM", "$LINENO", "${a[i]}", "${a[$(e9)]}", "$", "$'", "$\"a\"", "$(", "`", "${", "$[1]", "$((1", "${x-}", "${x?}", "${x:?m}", "$x[1]", "${x[@]:1}", "${!x@}", "${!a[@]}", "${#x[0]}", "${x//}", "${x/a}", "${x/a/}", "${x/\\//b}", "${x^}", "${x,,}", "${x^^[ab]}", "${x@E}", "${x@A}", "${_}", "${x:$y}", "${x:0:-1}", "$1x", "$10", "${01}", "${-}", "${?}", "${$}", "${#?}", "${#-}", "${#:-a}", "${@}", "${*%a}", "${@/a/b}", "\"${@/a/b}\"", "${x\\\n}", "$\\\nx", "\"$\\\nx\"", "${ e9; }", "${| e9; }", "${x:=a}", "\"${x:=b c}\"", "$é", "${x%%'*'}", "${x%\"$y\"}"],
};

/// Inside of an ANSI-C string.
pub(super) const ANSI: Pieces = Pieces {
    plain: &["a", "\\n", "\\t", "\\'", "\\\\", "\\x41", "\\101", "\\u00e9", "$x", "`", "\"", "\\\"", " ", "#", "\\e"],
    awkward: &["\\cA", "\\0", "\\xff", "\\?", "\\z", "\\x", "\\u", "\\U0010ffff", "\\400", "\\c\\", "\\c'", "\\x{41}", "\n", "\\\n", "\\1", "\\18", "\\x414", "\\ud800", "\\x0", "\\c", "\\u41g", "\\000a", "\\xc3\\xa9", "\\xc3"],
};

/// Single-quoted strings.
pub(super) const SINGLE: Pieces = Pieces {
    plain: &["'a b'", "'$x'", "'$(e9)'", "'`e9`'", "''", "'*'", "'\"'", "'#'", "'~'", "'{a,b}'", "'e9'", "';'", "'a'", "'a'\\''b'"],
    awkward: &["'\\'", "'a\nb'", "'\\\n'", "'!'", "'\t'", "'\u{1}'", "'", "'é'", "'\\\\'", "'-n'", "'x=1'", "'\r'"],
};

/// Inside of double quotes.
pub(super) const DOUBLE: Pieces = Pieces {
    plain: &["a", " ", "b c", "\\\"", "\\$", "\\\\", "\\`", "'", "#", "*", "~", "{a,b}", ";", "$x", "${x}", "$1", "$@", "$*", "$?", "${x:-a}", "$HOME", "${x%.*}", "$y", "${#x}"],
    awkward: &["\n", "\\\n", "!", "$", "${a[@]}", "$$", "${x:-'a'}", "${x:-\"a\"}", "${x//a/b}", "${x:+\\}}", "\\n", "\\", "`e9 \\\"a\\\"`", "${x:-'}'}", "${x#'a'}", "${x%\"a\"}", "${x:-$(e9)}", "${x:-`e9`}", "$'a'", "$\"a\"", "\\a", "<(e9)", "$(e9 \"a b\")", "$(e9 ')')", "$[1]", "${x:-\\$(e9)}", "${x-\\}}", "${x/\"/a}", "$(e9 #)\n)", "`", "\\\\`e9`", "\\$(e9)", "$\\(e9)", "${x:-~}", "${x:+\"$y\"}", "\u{a0}", "\t", "$(", "${@}", "a$@b", "$@$@"],
};

/// Here-document delimiters: as written, a blank, and the line that ends the body.
pub(super) const DELIMITERS: Pieces = Pieces {
    plain: &["EOF EOF", "'EOF' EOF", "\"EOF\" EOF", "END END", "'PY' PY"],
    awkward: &["\\EOF EOF", "E\"O\"F EOF", "EOF EOF ", "EOF  EOF", "$x $x", "'' ", "- -", "END-1 END-1", "EOF ", "E\\OF EOF", "$'EOF' EOF", "EOF EOF\\\nEOF", "\"E\\F\" E\\F", "`a` `a`", "EOF EOFx", "EOF \tEOF", "EOF EOF;", "{a,b} {a,b}", "* *", "é é", "EOF) EOF", "\"a EOF", "!E !E", "EOF EOF\r", "1 1", "#E #E"],
};

/// Lines of here-document bodies.
pub(super) const LINES: Pieces = Pieces {
    plain: &["text", "$x", "$(e9)", "${x:-a}", "$((1+1))", "'$x'", "\"", "it's", "#", "e9 -x", "  a b", "%d\\n", "", "*", "\\$x", "print(\"a\")"],
    awkward: &["`e9`", "${x:-$(e9)}", "\\$(e9)", "\\\\$(e9)", "$((x))", "'$(e9)'", "\\", "a\\", "  $(e9 a)", "\tEOF", "EOF ", "$(cat <<X\ny\nX\n)", "${x", "$", "\\`", "\\\nEOF", "a \\\n$(e9)", "${x:-'$(e9)'}", "\"$(e9)\"", "$[1]", "${x@P}", "${!x}", "$'a'", "`e9 \\`e8\\``", "EO\\\nF", "\\EOF", " EOF", "$(e9", ")", "\\\\", "\\a", "$\"a\"", "<(e9)", "${x:-\"$(e9)\"}", "$(e9 \"\n\")", "\u{1}", "$(( $(e9) ))"],
};

/// Arithmetic expressions.
pub(super) const ARITHMETIC: Pieces = Pieces {
    plain: &["1+2", "1<2", "(1+2)*3", "i+1", "i++", "x=3", "$i+1", "2**3", "1,2", "1<<2", "~1", "-1", "i<3", "i==1", "1?2:3", "i+=2"],
    awkward: &["x", "x+1", "$x+1", "x++", "x+=1", "a[1]", "a[x]", "$(e9)", "`e9`", "x>y", "x?1:2", "16#ff", "08", "x&&y", "!x", "x<<=1", "${x}", "${#x}", "'1'", "\"1\"", "\"$x\"", "1#c", "i=0", "", " ", "a[$(e9)]", "x==1", "1/0", "$((1))", "$1", "RANDOM", "SECONDS", "x|y", "1;2", "a b", "1 + 2 )", "1\n+2", "1\\\n+2", "$x", "HOME", "_", "1.5", "0x1g", "x[", "x=$(e9)", "x = y = 1", "++i", "--i", "i--", "i %= 2", "$#", "$?", "é", "99999999999999999999", "\\1"],
};

/// Whole statements that readers have been seen to misread.
pub(super) const TRAPS: &[&str] = &[
    "e1\\\n e9", "e1 \\\n\\\ne9", "e1\n\\e9 x", "e1 $'\\\\'; e9 #'", "e1 $'it\\'s'; e9", "e1 a#b; e9", "[ a ]#; e9", "e1 \\ #; e9", "1x=2 e9",
    "e1 -a1>&2", "e1 0<<<x", "e1 2 >f", "e1 >&- e9", "e1 >&f", "e1 >&'$(e9)'", "e1 >&\"$(e9)\"", "e1 &>f e9", "e1 &>>f", "e1>|f e9", "e1 <>f",
    "e1 {fd}>f", "e1 3>&1 1>&2-", "e1 `e2 \\`e9\\``", "e1 \"`e9`\"", "e1 '`e9`'", "e1 \"\\`e9\\`\"", "e1 ${x:-`e9`}", "e1 ${x:-<(e9)}",
    "e1 \"${x:-'$(e9)'}\"", "e1 ${x:-'$(e9)'}", "e1 \"${x:-\"$(e9)\"}\"", "e1 ${x:+\"}\"} e9", "e1 ${x/\\}/e9}", "[[ a = `e9` ]]", "[[ x =~ <(e9) ]]",
    "[[ a -eq 0 ]]", "[[ $x -eq 0 ]]", "[[ -v a[0] ]]", "[[ a < b ]]", "[[ a\n&& b ]]", "[ a < b ]", "[[var ]]", "[] x", "time e9", "time -p e9",
    "time -- e9", "x=1 time e9", "e1 | time e9", "! ! e9", "! e9", "coproc e9", "coproc c { e9; }", "select x in a b; do e9; done",
    "for x in a b; { e9; }", "for ((i=0;i<2;i++)); do e9; done", "for ((i=0;i<2;i++)) { e9; }", "function f { e9; }; f", "function f() (e9); f",
    "f() { e9; }; f", "f() e9; f", "e1() { e9; }; e1", "echo() { e9; }; echo", "f () ( e9 ) >g; f", "case x in (x) e9;; esac", "case x in x) e8;& y) e9;; esac",
    "case $x in *) e9;;& z) e8; esac", "if e1; then e9; fi", "{ e1; } e9", "(e1) e9", "((e1); e9)", "((x=1)); e9", "$((x)) e9", "$(e1) e9", "`e1` e9",
    "$[1+1] e9", "e1 $((1+2)) $((x)) $((a[1]))", "e1 $(( $(e9) ))", "e1 $((`e9`))", "e1 $( (e9) )", "e1 $(e8 # )\n)", "e1 $(case x in x) e9;; esac)", "e1 \"$(e8 \")\")\"",
    "e1 $(<a.txt)", "e1 $(<a.txt; e9)", "e1 < <(e9)", "e1 > >(e9)", "e1 <(e9) >(e8)", "e1 a<(e9)", "e1 --f=<(e9)", "e1 x=<(e9)", "x=<(e9) e1",
    "a[$(e9)]=1", "a=([0]=$(e9))", "a=(b $(e9) *)", "a+=(x)", "x+=1 e9", "e1 a=(b)", "export x=$(e9)", "declare x=$(e9) y", "local x", "e1 ${!x}", "e1 ${x@P}",
    "e1 ${x@Q}", "e1 ${!x@}", "e1 ${!x*}", "e1 ${#a[@]}", "e1 ${a[$(e9)]}", "e1 ${x:$(e9)}", "e1 ${x:y}", "e1 ${x:0:1}", "e1 ${x^^}", "e1 ${x//a/$(e9)}", "e1 $\"$(e9)\"",
    "e1 $\"a b\"", "$\"e9\" x", "e1 ~root/x ~/y ~+ ~- x=~", "e1 {a,b}{c,$(e9)}", "e1 {1..3} {a..c} {3..1..2} {1,2", "{e9,a} b", "e1 a{b,c", "e1 {,}", "e1 {} \\;",
    "e1 !(a) @(b|c) +(d)", "e1 [a-z]* ? [!a] [", "e1 *.c .* */", "*.c", "[a]", "e1 -- -rf", "e1 \"\" ''", "\"\"", "''", "e1 ''e2 \"a\"'b'\\c", "'e1' x", "\\e1 x", "e\"1\" x", "\"e1 x\"",
    "x=e9; $x a", "x='e9 a'; $x", "x='e8; e9'; e1 $x", "x='*'; e1 $x", "x=; $x e9", "x=-n; e1 $x", "IFS=,; x=a,b; e1 $x", "set -- a b; e1 \"$@\" $2", "set e9; $1",
    "PATH=. e9", "HOME=/ e1 ~", "cd dir; e1 ~+ $PWD", "cd dir && rm -rf *", "cd ..; e1 >f", "(cd dir; e1); e2 >f", "cd dir | e1; e2", "cd $x; e1 >f", "cd nodir; e1", "cd \"\"; e1",
    "while read l; do e1 $l; done <a.txt", "while read l; do e1 \"$l\"; done < <(e9)", "e1 | while read -r a b; do e2 $b; done", "until e1; do e9; break; done",
    "for f in *.c; do e1 \"$f\"; done", "for f; do e1 $f; done", "for f in; do e9; done", "for x in a b\ndo e1 $x\ndone", "x=a; for i in 1 2; do e1 $x; x=b; done; e2 $x",
    "x=a; if e1; then x=b; fi; e2 $x", "x=a; e1 && x=b; e2 $x", "x=a; (x=b; e1 $x); e2 $x", "x=a; e1 | x=b; e2 $x", "x=a; f() { x=b; }; f; e2 $x", "x=a; { x=b; } & e2 $x", "x=a e1; e2 $x",
    "x=a; unset x; e2 $x", "readonly x=a; x=b; e2 $x", "x=a; read x; e2 $x", "x=a; eval x=b; e2 $x", "x=a; printf -v x b; e2 $x", "x=a; for x in b c; do :; done; e2 $x", "x=a; : ${x:=b} ${y:=c}; e2 $x $y",
    "x=1; ((x++)); e2 $x", "x=1; e1 $((x=5)); e2 $x", "x=a; mapfile x; e2 $x", "x=a; getopts a x; e2 $x", "x=a; e1 $(x=b); e2 $x", "x=a; case a in a) x=b;; *) x=c;; esac; e2 $x",
    "x=a; while e1; do x=b; break; done; e2 $x", "x=a; f() { local x=b; e1 $x; }; f; e2 $x", "x=a; f() { e1 $x; }; x=b f", "f() { e1 \"$@\"; }; f a 'b c'", "f() { e1 $1 $#; shift; e2 $1; }; f a b", "f() { f; }; f",
    "f() { e1; return; e9; }; f || e2", "f() { g; }; g() { e9; }; f", "if e1; then f() { e8; }; else f() { e9; }; fi; f", "unset -f f; f", "f() { e1; }; unset -f f; f", "f() { e8; }; (f() { e9; }); f",
    "command_not_found_handle() { e9; }; nosuch1", "cd() { e9; }; cd dir", "trap 'e9' EXIT; e1", "trap e9 DEBUG; e1", "trap 'e9' ERR; e1", "trap \"e9\" TERM; kill $$", "f() { e9; }; trap f EXIT", "(trap e9 EXIT; e1)",
    "alias e1=e9\ne1", "shopt -s expand_aliases\nalias e1=e9\ne1", "set -e; e1; e2", "set -n; e9", "set -v; e9", "exec e1; e9", "exec e1 || e9", "exec >f; e1", "exec 3>f; e1 >&3", "exec 2>&1", "eval 'e1 $x'", "eval \"e1 \\$(e9)\"", "eval eval e9",
    "bash -c 'e9'", "bash -c \"e9 $x\" n a", "xargs -I{} e9 {}", "find . -exec e9 {} \\;", "env x=1 e9", "command -- e9", "command -pv e9", "builtin eval e9", "builtin command e9", "command exec e9", "command eval 'e9'", "command cd dir; e1",
    "e1 &\ne2\nwait", "e1 & e2 & wait; e3", "e1 |& e9", "e1 | e2 | e9 &", "e1 &>/dev/null &", "e1 2>&1 >/dev/null", "e1 </dev/tcp/h/80", "e1 >/dev/udp/h/1", "cat </dev/stdin", "e1 <&0", "e1 <&-", "e1 >&2 2>f", "e1 1>f 2>>g <h",
    ">f", "<a.txt", ">f e1", "2>f e1 a", "x=1 >f", "x=$(e9) >f", ">$x", "> \"$x\" e1", ">*.c", "> ~/f", "> {a,b}", "> a\\ b", ">'a b'$x", "e1 >$(e9)", "e1 2>&$x", "e1 >f >g >h", "e1 >f & e2 >>g", "{ e1; e2; } >f", "(e1) 2>f <g", "if e1; then e2; fi >f", "while e1; do e9; done >f <g",
];
