//! Makes shell texts from a grammar: every construct that is understood, and many beside it that are not.
//!
//! Invariants:
//! - the same seed makes the same texts on every machine;
//! - a text is bounded by a budget, whatever the grammar does.

mod pieces;
mod words;

use crate::random::Random;

use self::pieces::{BUILTINS, NAMES, PROGRAMS, SEPARATORS, TRAPS};

/// Steps that one text may spend on nested constructs.
const BUDGET: usize = 14;

/// Names of functions.
const FUNCTIONS: Pieces = Pieces {
    plain: &["f", "g", "f", "my_f"],
    awkward: &[
        "e1", "cd", "my-f", "echo", "function", "ls", "true", "[", "é", "if", "time",
    ],
};

/// Operators of `[[ ]]` before a word.
const TESTS: Pieces = Pieces {
    plain: &["-f ", "-n ", "-z ", "-d ", "! -e "],
    awkward: &["-v ", "-R ", "-o ", "-t ", "-N ", "! ", "-a ", "! ! "],
};

/// Operators of `[[ ]]` between words.
const COMPARISONS: Pieces = Pieces {
    plain: &[" == ", " = ", " != ", " < ", " > ", " -nt "],
    awkward: &[
        " =~ ", " -eq ", " -lt ", " -ef ", " -ge ", " =\n", "==", " = = ", " -gt\\\n",
    ],
};

/// Between words.
const BLANKS: Pieces = Pieces {
    plain: &[" ", " ", " ", " ", "  ", "\t", " \\\n"],
    awkward: &[
        "\\\n ",
        "\\\n",
        " \\\n\\\n",
        " \\ ",
        "\u{b}",
        "\r",
        " \n",
        " \\\n#",
        "  \t",
        " \\\n\t",
        "\t \\\n",
        " \n\\",
    ],
};

/// Makes texts.
#[derive(Debug)]
pub(crate) struct Generator {
    random: Random,
    text: String,
    budget: usize,
    /// Bodies of here-documents that the next newline must be followed by.
    pending: Vec<String>,
    /// Chance in a hundred of taking a piece that readers find awkward.
    awkward: usize,
}

/// Pieces of one kind: those that every reader should understand, and the others.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    plain: &'static [&'static str],
    awkward: &'static [&'static str],
}

impl Generator {
    /// Starts from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            text: String::new(),
            budget: 0,
            pending: Vec::new(),
            awkward: 0,
        }
    }

    /// The next text.
    pub(crate) fn make(&mut self) -> String {
        self.text.clear();
        self.pending.clear();
        // Half of the texts are meant to be understood whole; the others hold ever more that is not.
        self.awkward = self.random.pick_number(&[0, 0, 0, 0, 3, 8, 20, 40]);
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

    fn take(&mut self, from: Pieces) -> &'static str {
        let list = if self.random.percent(self.awkward) {
            from.awkward
        } else {
            from.plain
        };
        self.random.pick(list)
    }

    fn one_of(&mut self, from: Pieces) {
        let text = self.take(from);
        self.put(text);
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
                self.one_of(SEPARATORS);
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        if self.random.percent(6 + self.awkward / 3) {
            let text = self.random.pick(TRAPS);
            self.put(text);
            return;
        }
        if self.random.percent(5) {
            let text = self.random.pick(&["! ", "! ", "time ", "time ", "\t", "  "]);
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
        match self.random.below(15) {
            0 | 13 => self.block("{ ", "}"),
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
                let keyword =
                    self.random
                        .pick(&["while ", "until ", "while read x; ", "while read -r x y; "]);
                self.block(keyword, "do ");
                self.list(2);
                let end = self.random.pick(&["; break\ndone", "\ndone", "\ndone"]);
                self.put(end);
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
            let rest = self
                .random
                .pick(&["; i<2; i++", "; x<1; x++", ";;", "; 0; 1", "; $(e1); "]);
            self.put(rest);
            self.put("))");
            self.block("; do ", "done");
            return;
        }
        self.put("for ");
        self.one_of(NAMES);
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
        for _ in 0..=self.random.below(3) {
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
        let name = self.take(FUNCTIONS);
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
            match self.random.below(6) {
                0 => self.word(),
                1 | 2 => {
                    self.one_of(TESTS);
                    self.word();
                }
                3 | 4 => {
                    self.word();
                    self.one_of(COMPARISONS);
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
            0..=2 => self.one_of(BUILTINS),
            3 if self.random.percent(self.awkward) => self.word(),
            _ => self.one_of(PROGRAMS),
        }
        for _ in 0..self.random.below(4) {
            self.one_of(BLANKS);
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
