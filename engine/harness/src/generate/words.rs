//! The word level of the generator: words, expansions, assignments, redirections and here-documents.

use super::{Generator, NAMES};

/// Plain pieces of words.
const LITERALS: &[&str] = &[
    "a", "b", "x", "a.txt", "dir/x", "-n", "--flag", "--opt=v", "1", "0", "-", "--", "/tmp/f", "./f", "..", ".", "a=b", "%1", "a:b", "@", "+", "é",
    "e9", "done", "then", "fi", "in", "!", "{", "}", "]", "]]", "[", "#c", "a#b", "sp\\ ace", "\\;", "\\$x", "\\\\", "\\\"", "\\'", "\\a", "\\\n", "x\\\ny", ",", "^", "=", "~", "a~",
];

/// Pieces that expand to files or lists.
const PATTERNS: &[&str] = &[
    "*", "*.c", "?", "dir/*", "[ab].c", "[!a]*", "[a-z]", ".*", "**", "{a,b}", "{a,b}c", "{1..3}", "{a..c}", "{a,{b,c}}", "{x,$x}", "{a", "a,b}", "{a}", "{,a}",
    "{1..3..2}", "{01..03}", "{a,'b c'}", "~", "~/f", "~root", "~+", "~-/f", "x=~", "@(a|b)", "!(a)", "*(a)", "[[:alpha:]]", "[]a]", "a[1]", "{a,b}{c,d}", "{$(e9),b}",
];

/// Operators of parameter expansion that take a word.
const OPERATORS: &[&str] = &[
    ":-", "-", ":=", "=", ":+", "+", ":?", "?", "#", "##", "%", "%%", "/", "//", "/#", "/%", "^", "^^", ",", ",,", ":", "@", "[",
];

/// Expansions as they are written.
const EXPANSIONS: &[&str] = &[
    "$x", "$y", "${x}", "$1", "$2", "${10}", "$@", "$*", "\"$@\"", "\"$*\"", "$#", "$?", "$$", "$!", "$-", "$0", "$_", "${#x}", "${#}", "${#@}", "${x[0]}", "${a[@]}", "\"${a[@]}\"",
    "${a[*]}", "${a[-1]}", "${#a[@]}", "${!x}", "${x@Q}", "${x@P}", "${x:1}", "${x:1:2}", "${x: -1}", "${x:y}", "${@:1}", "${@:2:1}", "$HOME", "$PWD", "$OLDPWD", "$IFS", "$RANDOM", "$LINENO", "$a", "${a[i]}",
    "${a[$(e9)]}", "$x$y", "$x/f", "a$x", "${x}b", "$", "$'", "$\"a\"", "$(", "`", "${", "$[1]", "$((1", "${x:-}", "${x-}",
];

/// Inside of an ANSI-C string.
const ANSI: &[&str] = &["a", "\\n", "\\t", "\\'", "\\\\", "\\x41", "\\101", "\\u00e9", "\\cA", "\\e", "\\0", "\\xff", "$x", "`", "\"", "\\\"", " ", "\\?", "\\z", "#"];

/// Here-document delimiters: as written, and as the line that ends the body.
const DELIMITERS: &[(&str, &str)] = &[
    ("EOF", "EOF"), ("'EOF'", "EOF"), ("\"EOF\"", "EOF"), ("\\EOF", "EOF"), ("E\"O\"F", "EOF"), ("EOF", "EOF "), ("EOF", " EOF"), ("'E F'", "E F"), ("$x", "$x"), ("''", ""), ("-", "-"), ("END-1", "END-1"),
    ("EOF", ""), ("E\\OF", "EOF"), ("$'EOF'", "EOF"), ("EOF", "EOF\\\n"),
];

/// Lines of here-document bodies.
const LINES: &[&str] = &[
    "text", "$x", "$(e9)", "`e9`", "${x:-$(e9)}", "\\$(e9)", "\\\\$(e9)", "$((1+1))", "$((x))", "'$(e9)'", "\"", "\\", "a\\", "  $(e9 a)", "\tEOF", "EOF ", "e9", "$(cat <<X\ny\nX\n)", "${x", "$", "\\`", "it's", "#", "%d\\n", "\\\nEOF",
];

/// Arithmetic expressions.
const ARITHMETIC: &[&str] = &[
    "1+2", "x", "x+1", "$x+1", "x++", "x=3", "x+=1", "a[1]", "a[x]", "$(e9)", "`e9`", "1<2", "x>y", "x?1:2", "(1+2)*3", "1,2", "16#ff", "08", "x&&y", "!x", "~1", "1<<2", "x<<=1", "${x}", "${#x}", "'1'", "\"1\"", "\"$x\"", "1#c", "i=0",
    "", " ", "a[$(e9)]", "x==1", "-1", "2**3", "1/0", "$((1))", "$1", "RANDOM", "SECONDS", "x|y", "1;2", "a b",
];

impl Generator {
    pub(super) fn word(&mut self) {
        let pieces = 1 + self.random.below(10) / 7 + self.random.below(10) / 8;
        for _ in 0..pieces {
            self.piece();
        }
    }

    fn piece(&mut self) {
        match self.random.below(20) {
            0..=6 => self.one_of(LITERALS),
            7 | 8 => self.one_of(PATTERNS),
            9 | 10 => self.one_of(EXPANSIONS),
            11 => {
                let text = self.random.pick(&["'a b'", "'$x'", "'$(e9)'", "'`e9`'", "''", "'*'", "'\"'", "'\\'", "'a\nb'", "'#'", "'~'", "'{a,b}'", "'e9'", "';'"]);
                self.put(text);
            }
            12 | 13 => self.double_quoted(),
            14 => {
                self.put("$'");
                for _ in 0..self.random.below(4) {
                    self.one_of(ANSI);
                }
                self.put("'");
            }
            15 | 16 => self.substitution(),
            17 => self.braced(),
            18 => {
                self.put("$((");
                self.arithmetic();
                self.put("))");
            }
            _ => {
                if self.spend() {
                    let open = self.random.pick(&["<(", ">(", "=("]);
                    self.put(open);
                    self.list(1);
                    self.close_documents();
                    self.put(")");
                } else {
                    self.one_of(LITERALS);
                }
            }
        }
    }

    fn one_of(&mut self, from: &[&str]) {
        let text = self.random.pick(from);
        self.put(text);
    }

    fn double_quoted(&mut self) {
        self.put("\"");
        for _ in 0..self.random.below(4) {
            match self.random.below(8) {
                0..=2 => self.one_of(&["a", " ", "b c", "\\\"", "\\$", "\\\\", "\\`", "\\n", "'", "#", "*", "~", "{a,b}", "\n", "\\\n", "!", ";", "$"]),
                3 | 4 => self.one_of(&["$x", "${x}", "$1", "$@", "$*", "${a[@]}", "$?", "$$", "${#x}", "${x:-a}", "${x:-'a'}", "${x:-\"a\"}", "$HOME", "${x%.*}", "${x//a/b}", "${x:+\\}}"]),
                5 => self.substitution(),
                6 => self.braced(),
                _ => {
                    self.put("$((");
                    self.arithmetic();
                    self.put("))");
                }
            }
        }
        self.put("\"");
    }

    fn substitution(&mut self) {
        if !self.spend() {
            self.one_of(&["$(e9)", "`e9`", "$(e8 a)", "$(<a.txt)"]);
            return;
        }
        // What waits for a newline outside must not be written inside.
        let outside = std::mem::take(&mut self.pending);
        if self.random.percent(75) {
            let open = self.random.pick(&["$(", "$(", "$( ", "$(\n"]);
            self.put(open);
            self.list(2);
            self.close_documents();
            self.put(")");
        } else {
            self.put("`");
            self.simple();
            self.close_documents();
            self.put("`");
        }
        self.pending = outside;
    }

    fn braced(&mut self) {
        let name = self.random.pick(NAMES);
        let operator = self.random.pick(OPERATORS);
        self.put("${");
        self.put(name);
        self.put(operator);
        match self.random.below(8) {
            0 => {}
            1 => self.one_of(&["*", "?", "*/", "%", "a*b", "[ab]", "\\}", "'}'", "\"}\"", " ", "/", "a/b", "a/", "*/$(e9)", "#", "~", "1", "1:2"]),
            2 if self.budget > 1 => {
                self.budget -= 1;
                self.word();
            }
            3 => self.one_of(EXPANSIONS),
            4 => self.one_of(&["$(e9)", "`e9`", "<(e9)", "'$(e9)'", "\"$(e9)\"", "\\$(e9)", "$'e9'", "${y:-$(e9)}"]),
            _ => self.one_of(LITERALS),
        }
        self.put("}");
    }

    pub(super) fn arithmetic(&mut self) {
        self.one_of(ARITHMETIC);
        if self.random.percent(20) {
            self.one_of(&["+", "*", "-", ",", "&&", " ? 1 : ", "=", " "]);
            self.one_of(ARITHMETIC);
        }
    }

    pub(super) fn assignment(&mut self) {
        let name = self.random.pick(NAMES);
        self.put(name);
        match self.random.below(12) {
            0 => self.put("+="),
            1 => self.put("[0]="),
            2 => {
                self.put("=(");
                for _ in 0..self.random.below(3) {
                    self.word();
                    self.put(" ");
                }
                self.put(")");
                return;
            }
            _ => self.put("="),
        }
        if self.random.percent(85) {
            self.word();
        }
    }

    pub(super) fn redirect(&mut self) {
        self.put(" ");
        if self.random.percent(20) {
            self.one_of(&["1", "2", "0", "3", "9", "10", "255", "{fd}", "1 ", "a"]);
        }
        match self.random.below(12) {
            0..=6 => {
                self.one_of(&["<", ">", ">>", ">|", "<>", "&>", "&>>", ">&", "<&", "> ", ">> ", "< ", "2>"]);
                match self.random.below(6) {
                    0 => self.word(),
                    1 => self.one_of(&["f\\ g", "'f g'", "\"f$x\"", "$x", "*.c", "{a,b}", "~/f", "$(e9)", "<(e9)", "&1", "/dev/tcp/h/80"]),
                    _ => self.one_of(&["f", "g", "/dev/null", "./f", "dir/x", "/tmp/f", "f.txt"]),
                }
            }
            7 => self.one_of(&["2>&1", ">&2", "1>&2", "<&0", ">&-", "<&-", "3>&1-", ">&$x", ">&f", "2>&-"]),
            8 => {
                self.one_of(&["<<<", "<<< "]);
                self.word();
            }
            _ => self.here_document(),
        }
    }

    fn here_document(&mut self) {
        let strip = self.random.percent(25);
        let index = self.random.below(DELIMITERS.len());
        let (written, end) = DELIMITERS.get(index).copied().unwrap_or(("EOF", "EOF"));
        self.put(if strip { "<<-" } else { "<<" });
        self.put(written);
        let mut body = String::new();
        for _ in 0..self.random.below(4) {
            if strip && self.random.percent(50) {
                body.push('\t');
            }
            body.push_str(self.random.pick(LINES));
            body.push('\n');
        }
        if strip && self.random.percent(50) {
            body.push('\t');
        }
        body.push_str(end);
        body.push('\n');
        self.pending.push(body);
    }
}
