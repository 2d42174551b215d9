//! The word level of the generator: words, expansions, assignments, redirections and here-documents.

use super::pieces::{
    ANSI, ARITHMETIC, DELIMITERS, DOUBLE, EXPANSIONS, LINES, LITERALS, NAMES, OPERATORS, PATTERNS, SINGLE,
};
use super::{Generator, Pieces};

/// What a parameter expansion's operator takes.
const OPERANDS: Pieces = Pieces {
    plain: &[
        "a", "b", "*", "?", "*/", "a*b", "[ab]", "1", ".c", "$y", "a b", "", "\"b c\"", "'*'", "$(e9)", "/",
        "x",
    ],
    awkward: &[
        "%",
        "\\}",
        "'}'",
        "\"}\"",
        " ",
        "a/b",
        "a/",
        "*/$(e9)",
        "#",
        "~",
        "1:2",
        "`e9`",
        "<(e9)",
        "'$(e9)'",
        "\"$(e9)\"",
        "\\$(e9)",
        "$'e9'",
        "${y:-$(e9)}",
        "{a,b}",
        "$@",
        "\"$@\"",
        "\\a",
        "'",
        "\"",
        "\n",
        "a[$(e9)]",
        "(a)",
        "$((x))",
        "*\"*\"",
    ],
};

/// Descriptors before a redirection.
const DESCRIPTORS: Pieces = Pieces {
    plain: &["1", "2", "0", "3", "", "", ""],
    awkward: &[
        "9", "10", "255", "{fd}", "1 ", "a", "01", "\\2", "'2'", "999", "1000", "$x",
    ],
};

/// Redirections that a file name follows.
const REDIRECTS: Pieces = Pieces {
    plain: &["<", ">", ">>", ">|", "> ", ">> ", "< ", "2>", "2>>"],
    awkward: &[
        "<>", "&>", "&>>", ">&", "<&", ">\\\n", "> \\\n", ">>&", ">>|", "<<", "&>>|", "1&>",
    ],
};

/// Files that redirections open.
const FILES: Pieces = Pieces {
    plain: &[
        "f",
        "g",
        "/dev/null",
        "./f",
        "dir/x",
        "/tmp/f",
        "f.txt",
        "f\\ g",
        "'f g'",
        "\"f$x\"",
        "$x",
        "\"$x\"",
        "~/f",
        "a.txt",
    ],
    awkward: &[
        "*.c",
        "{a,b}",
        "$(e9)",
        "<(e9)",
        ">(e9)",
        "&1",
        "/dev/tcp/h/80",
        "/dev/stdin",
        "/dev/fd/3",
        "\"\"",
        "a{b",
        "~root/f",
        "$@",
        "\"$@\"",
        "f;",
        "#f",
        "$'f'",
        "`e9`",
        "${x:-f}",
        "-",
        "1",
        "2a",
        "\\f",
        "[ab].c",
        "é",
    ],
};

/// Redirections of descriptors.
const COPIES: Pieces = Pieces {
    plain: &["2>&1", ">&2", "1>&2", "<&0", ">&-", "2>&-", "<&-", "3>&1"],
    awkward: &[
        "3>&1-", ">&$x", ">&f", "1<&0", ">& 2", ">&2-", "<&3-", ">&\"1\"", ">&\\1", ">&1a", ">&a1",
        ">&$(e9)", "<&a", ">&12", ">&123", "1>&-e9", ">&'f'", ">&~/f", "2>& -", ">&`e9`",
    ],
};

/// Command substitutions without inner structure.
const SUBSTITUTIONS: Pieces = Pieces {
    plain: &["$(e9)", "`e9`", "$(e8 a)", "$(<a.txt)"],
    awkward: &[
        "$(e9",
        "$()",
        "``",
        "$(< a.txt)",
        "$(<a.txt b)",
        "`e9 \\`e8\\``",
        "$((e9))",
        "$( (e9) )",
        "$(e9 #)\n)",
        "`e9 \\$x`",
        "`e9 \\\\`",
        "$(e9\\\n)",
        "$(case x in x) e9;; esac)",
        "$(e9 <<E\n$(e8)\nE\n)",
        "$({ e9; })",
        "`e9 'a`b'`",
        "$(;e9)",
        "$(e9;;)",
        "$\\\n(e9)",
        "$(e9 & e8)",
        "$(!e9)",
    ],
};

impl Generator {
    pub(super) fn word(&mut self) {
        if self.random.percent(3) && self.spend() {
            let open = self.random.pick(&["<(", "<(", ">("]);
            self.put(open);
            self.list(1);
            self.close_documents();
            self.put(")");
            return;
        }
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
            11 => self.one_of(SINGLE),
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
                if self.random.percent(self.awkward) && self.spend() {
                    self.put("<(");
                    self.list(1);
                    self.close_documents();
                    self.put(")");
                } else {
                    self.one_of(LITERALS);
                }
            }
        }
    }

    fn double_quoted(&mut self) {
        self.put("\"");
        for _ in 0..self.random.below(4) {
            match self.random.below(8) {
                0..=4 => self.one_of(DOUBLE),
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
            self.one_of(SUBSTITUTIONS);
            return;
        }
        // What waits for a newline outside must not be written inside.
        let outside = std::mem::take(&mut self.pending);
        if self.random.percent(85) {
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
        self.put("${");
        self.one_of(NAMES);
        self.one_of(OPERATORS);
        if self.spend() && self.random.percent(15) {
            self.word();
        } else {
            self.one_of(OPERANDS);
        }
        self.put("}");
    }

    pub(super) fn arithmetic(&mut self) {
        self.one_of(ARITHMETIC);
        if self.random.percent(20) {
            let operator = self.random.pick(&["+", "*", "-", ",", "&&", " || "]);
            self.put(operator);
            self.one_of(ARITHMETIC);
        }
    }

    pub(super) fn assignment(&mut self) {
        self.one_of(NAMES);
        match self.random.below(12) {
            0 => self.put("+="),
            1 if self.random.percent(self.awkward) => self.put("[0]="),
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
        match self.random.below(12) {
            0..=6 => {
                if self.random.percent(15) {
                    self.one_of(DESCRIPTORS);
                }
                self.one_of(REDIRECTS);
                if self.random.percent(self.awkward) {
                    self.word();
                } else {
                    self.one_of(FILES);
                }
            }
            7 => self.one_of(COPIES),
            8 => {
                let operator = self.random.pick(&["<<<", "<<< "]);
                self.put(operator);
                self.word();
            }
            _ => self.here_document(),
        }
    }

    fn here_document(&mut self) {
        let strip = self.random.percent(25);
        let (written, end) = self.take(DELIMITERS).split_once(' ').unwrap_or(("EOF", "EOF"));
        self.put(if strip { "<<-" } else { "<<" });
        self.put(written);
        let mut body = String::new();
        for _ in 0..self.random.below(4) {
            if strip && self.random.percent(50) {
                body.push('\t');
            }
            body.push_str(self.take(LINES));
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
