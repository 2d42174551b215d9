//! Makes shell texts from a grammar: every construct that is understood, and many beside it that are not.
//!
//! Invariants:
//! - the same seed makes the same texts on every machine;
//! - a text is bounded by a budget, whatever the grammar does.

mod words;

use crate::random::Random;

/// Steps that one text may spend on nested constructs.
const BUDGET: usize = 14;

/// Programs, as they are named. `nosuch...` is never found.
const PROGRAMS: &[&str] = &[
    "e1", "e2", "e3", "e4", "ls", "rm", "cat", "git", "grep", "find", "xargs", "sudo", "env", "timeout 5", "nohup", "sh -c",
    "./run.sh", "/usr/bin/env", "../up", "nosuch1", "echo", "printf", "kill", "test", "true", "false", ":", "python3 -", "sed -n",
];

/// Builtins that change the shell, with room for words after them.
const BUILTINS: &[&str] = &[
    "cd", "cd ..", "cd -", "cd dir", "cd nodir", "cd -P", "pushd dir", "popd", "export", "export x=", "declare x=", "declare -a a=",
    "declare -i x=", "declare -n x=", "readonly x=", "typeset x=", "unset x", "unset", "unset -f f", "set --", "set -e", "set -u", "set -x",
    "set -f", "set +f", "set -o pipefail", "set", "shift", "shift 2", "read x", "read -r x y", "read", "mapfile -t a", "mapfile",
    "readarray x", "trap 'e9' EXIT", "trap \"e9 $x\" INT", "trap - EXIT", "trap", "eval e9", "eval \"$x\"", "eval 'e8; e9'", "eval", ". ./f",
    "source f", "exec", "exec e9", "exec -a n e9", "exec 3<f", "command e9", "command -v e9", "command -p e9", "command", "builtin cd",
    "builtin echo", "builtin", "exit", "exit 1", "exit $x", "return", "return 1", "break", "continue", "break 2", "wait", "wait $!",
    "getopts ab: x", "shopt -s nullglob", "shopt -s extglob", "shopt -s expand_aliases", "shopt -s globstar", "shopt -s dotglob",
    "hash -r", "hash -p /bin/e9 e1", "alias e1=e9", "alias e1='e9 '", "unalias -a", "enable -n cd", "let x=1", "let \"x=a[1]\"",
    "printf -v x %s", "printf -v a[0] %s", "test -v x", "test -v a[0]", "[ -f a.txt ]", "[ -n \"$x\" ]", "[ $x -eq 1 ]", "[ a = b ]",
    "type e1", "umask 022", "ulimit -n", "local x=", "dirs", "times", "jobs", "kill $$", "kill -TERM $$", "kill %1", "bg", "fg", "disown",
    "suspend", "logout", "history", "fc -l", "bind -x", "complete -C e9 e1", "compgen -C e9", "caller", "help", "-", "noglob e9",
    "nocorrect e9", "repeat 2 e9", "coproc e9",
];

/// Names of variables.
const NAMES: &[&str] = &["x", "y", "a", "i", "file", "HOME", "PWD", "IFS", "PATH", "_", "OLDPWD", "REPLY", "PS4", "BASH_ENV", "1", "f"];

/// What separates statements.
const SEPARATORS: &[&str] = &["; ", ";", "\n", "\n", "\n\n", " && ", " || ", " & ", "&", "\n# c\n", " # c\n", " ;\n", "&&\n", " ||\n"];

/// Whole statements that readers have been seen to misread.
const TRAPS: &[&str] = &[
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

/// Makes texts.
#[derive(Debug)]
pub(crate) struct Generator {
    random: Random,
    text: String,
    budget: usize,
    /// Bodies of here-documents that the next newline must be followed by.
    pending: Vec<String>,
}

impl Generator {
    /// Starts from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), text: String::new(), budget: 0, pending: Vec::new() }
    }

    /// The next text.
    pub(crate) fn make(&mut self) -> String {
        self.text.clear();
        self.pending.clear();
        self.budget = 2 + self.random.below(BUDGET);
        self.list(3);
        self.close_documents();
        if self.random.percent(10) {
            self.text.push('\n');
        }
        std::mem::take(&mut self.text)
    }

    fn put(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            self.text.push_str(piece);
            if piece.ends_with('\n') {
                for body in std::mem::take(&mut self.pending) {
                    self.text.push_str(&body);
                }
            }
        }
    }

    fn close_documents(&mut self) {
        if !self.pending.is_empty() {
            self.put("\n");
        }
    }

    /// Takes a step from the budget; once it is spent only leaves are made.
    fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    fn list(&mut self, most: usize) {
        let count = 1 + self.random.below(most);
        for index in 0..count {
            if index > 0 {
                let separator = self.random.pick(SEPARATORS);
                self.put(separator);
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        if self.random.percent(14) {
            let text = self.random.pick(TRAPS);
            self.put(text);
            return;
        }
        if self.random.percent(5) {
            let text = self.random.pick(&["! ", "time ", "time -p ", "! time ", "time ! ", "\t", "  ", "! ! "]);
            self.put(text);
        }
        self.command();
        while self.random.percent(15) && self.spend() {
            let text = self.random.pick(&[" | ", "|", " |& ", " |\n"]);
            self.put(text);
            self.command();
        }
    }

    /// A list that a closing token may follow.
    fn block(&mut self, open: &str, close: &str) {
        self.put(open);
        self.list(2);
        let end = self.random.pick(&["; ", "\n", " ;\n", " & "]);
        self.put(end);
        self.put(close);
    }

    fn command(&mut self) {
        if !self.spend() || self.random.percent(62) {
            self.simple();
            return;
        }
        match self.random.below(14) {
            0 => self.block("{ ", "}"),
            1 => {
                self.put("(");
                self.list(2);
                self.close_documents();
                self.put(")");
            }
            2 | 3 => {
                self.block("if ", "then ");
                self.list(2);
                self.put("\n");
                if self.random.percent(20) {
                    self.block("elif ", "then ");
                    self.list(1);
                    self.put("\n");
                }
                if self.random.percent(40) {
                    self.block("else ", "fi");
                } else {
                    self.put("fi");
                }
            }
            4 => {
                let keyword = self.random.pick(&["while ", "until ", "while read x; ", "while read -r x y; "]);
                self.block(keyword, "do ");
                self.list(2);
                self.put(if self.random.percent(30) { "; break\ndone" } else { "\ndone" });
            }
            5 | 6 => self.for_loop(),
            7 => self.case(),
            8 | 9 => self.function(),
            10 => self.condition(),
            11 => {
                self.put("((");
                self.arithmetic();
                self.put("))");
            }
            12 => {
                let text = self.random.pick(TRAPS);
                self.put("{ ");
                self.put(text);
                self.put("\n}");
            }
            _ => self.simple(),
        }
        while self.random.percent(12) {
            self.redirect();
        }
    }

    fn for_loop(&mut self) {
        if self.random.percent(15) {
            self.put("for ((");
            self.arithmetic();
            let rest = self.random.pick(&["; i<2; i++", "; x<1; x++", ";;", "; 0; 1", "; $(e1); "]);
            self.put(rest);
            self.put("))");
            self.block("; do ", "done");
            return;
        }
        let name = self.random.pick(NAMES);
        self.put("for ");
        self.put(name);
        if self.random.percent(90) {
            self.put(" in");
            for _ in 0..self.random.below(4) {
                self.put(" ");
                self.word();
            }
        }
        let open = self.random.pick(&["; do ", "\ndo ", " ;do\n"]);
        self.block(open, "done");
    }

    fn case(&mut self) {
        self.put("case ");
        self.word();
        self.put(" in\n");
        for _ in 0..1 + self.random.below(3) {
            let open = self.random.pick(&["(", ""]);
            self.put(open);
            self.word();
            if self.random.percent(30) {
                self.put("|");
                self.word();
            }
            self.put(") ");
            if self.random.percent(90) {
                self.list(2);
            }
            let end = self.random.pick(&[";;\n", "\n;;\n", " ;;", ";&\n", ";;& "]);
            self.close_documents();
            self.put(end);
        }
        self.put("esac");
    }

    fn function(&mut self) {
        let name = self.random.pick(&["f", "g", "f", "e1", "cd", "my-f", "echo", "function"]);
        let head = self.random.pick(&["() ", " () ", "()\n"]);
        self.put(name);
        self.put(head);
        if self.random.percent(80) {
            self.block("{ ", "}");
        } else {
            self.put("(");
            self.list(2);
            self.close_documents();
            self.put(")");
        }
        if self.random.percent(80) {
            self.put("\n");
            self.put(name);
            for _ in 0..self.random.below(3) {
                self.put(" ");
                self.word();
            }
        }
    }

    fn condition(&mut self) {
        self.put("[[ ");
        loop {
            match self.random.below(5) {
                0 => self.word(),
                1 => {
                    let operator = self.random.pick(&["-f ", "-n ", "-z ", "-d ", "-v ", "! -e ", "-R ", "-o ", "-t "]);
                    self.put(operator);
                    self.word();
                }
                2 | 3 => {
                    self.word();
                    let operator =
                        self.random.pick(&[" == ", " = ", " != ", " =~ ", " < ", " > ", " -eq ", " -lt ", " -nt ", " -ef "]);
                    self.put(operator);
                    self.word();
                }
                _ => {
                    self.put("( ");
                    self.word();
                    self.put(" )");
                }
            }
            if !self.random.percent(25) {
                break;
            }
            let joiner = self.random.pick(&[" && ", " || ", " &&\n"]);
            self.put(joiner);
        }
        self.put(" ]]");
    }

    fn simple(&mut self) {
        while self.random.percent(12) {
            self.assignment();
            self.put(" ");
            if self.random.percent(25) {
                self.text.pop();
                return;
            }
        }
        if self.random.percent(4) {
            self.redirect();
            self.put(" ");
        }
        match self.random.below(10) {
            0 | 1 => {
                let builtin = self.random.pick(BUILTINS);
                self.put(builtin);
            }
            2 => self.word(),
            _ => {
                let program = self.random.pick(PROGRAMS);
                self.put(program);
            }
        }
        for _ in 0..self.random.below(4) {
            let blank = self.random.pick(&[" ", " ", " ", " ", "  ", "\t", " \\\n", "\\\n "]);
            self.put(blank);
            self.word();
        }
        while self.random.percent(14) {
            self.redirect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Generator;

    #[test]
    fn a_seed_makes_the_same_texts_again() {
        let texts = |seed| {
            let mut generator = Generator::new(seed);
            (0..50).map(|_| generator.make()).collect::<Vec<_>>()
        };
        assert_eq!(texts(7), texts(7));
        assert_ne!(texts(7), texts(8));
    }

    #[test]
    fn texts_are_bounded() {
        let mut generator = Generator::new(1);
        let longest = (0..2000).map(|_| generator.make().len()).max();
        assert!(longest.is_some_and(|length| length < 20_000), "{longest:?}");
    }
}
