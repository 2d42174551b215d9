//! Makes new texts from old ones: pieces are put in, taken out, doubled and exchanged, and two texts are spliced.
//!
//! Invariant: the result is valid UTF-8 and a function of the texts and the seed.

use crate::random::Random;

/// What is put in.
const PIECES: &[&str] = &[
    "'",
    "\"",
    "\\",
    "\n",
    "$(",
    ")",
    "`",
    "${",
    "}",
    "$((",
    "))",
    "<<EOF\n",
    "\nEOF\n",
    "<<'EOF'\n",
    "<<-E\n",
    "\n\tE\n",
    "<<<",
    "<",
    ">",
    ">>",
    ">&",
    "<&",
    "&>",
    "&>>",
    ">|",
    "2>&1",
    ">&-",
    "<(",
    ">(",
    "|",
    "|&",
    "||",
    "&",
    "&&",
    ";",
    ";;",
    "{",
    "}",
    " { ",
    "; }",
    "(",
    ")",
    "#",
    " #",
    "# ",
    "\r",
    "\r\n",
    "\u{b}",
    "\u{c}",
    "\t",
    " ",
    "\\\n",
    "\\\r\n",
    "\u{a0}",
    "é",
    "\u{7f}",
    "\u{1}",
    "*",
    "?",
    "[",
    "]",
    "[[ ",
    " ]]",
    "((",
    "!",
    "! ",
    "~",
    "=",
    "+=",
    "x=",
    "x=1 ",
    "$x",
    "$",
    "$'",
    "$\"",
    "$@",
    "\"$@\"",
    "{a,b}",
    "{1..3}",
    ",",
    "..",
    "-",
    "--",
    "e9",
    " e9",
    "\ne9",
    "; e9",
    "&& e9",
    "$(e9)",
    "`e9`",
    "'$(e9)'",
    "\"`e9`\"",
    "if ",
    "; then ",
    "; fi",
    "for x in ",
    "; do ",
    "; done",
    "while ",
    "case x in x) ",
    " ;; esac",
    "time ",
    "coproc ",
    "function f ",
    "f() ",
    "select x in ",
    "eval ",
    "exec ",
    "command ",
    "builtin ",
    "trap 'e9' EXIT; ",
    ". ",
    "cd dir; ",
    "cd dir && ",
    "set -- ",
    "export ",
    "declare ",
    "local ",
    "read x; ",
    "a[0]=",
    "${x:-",
    "${x/",
    "${!x}",
    "${x@P}",
    "@(",
    "1",
    "0",
    "a",
    "\\\\",
    "\\'",
    "\\\"",
    "\\$",
    "\\`",
    "\\ ",
    "\\#",
    ":",
    "[0]",
    "[$(e9)]",
    "$[",
    "IFS=x; ",
    "shopt -s extglob\n",
];

/// Mutates texts taken from a pool.
#[derive(Debug)]
pub(crate) struct Mutator<'a> {
    random: Random,
    pool: &'a [String],
}

impl<'a> Mutator<'a> {
    /// Starts from a seed and a pool of texts.
    pub(crate) fn new(seed: u64, pool: &'a [String]) -> Self {
        Self {
            random: Random::new(seed ^ 0x6d75_7461_7465),
            pool,
        }
    }

    /// The next mutant; empty where the pool is.
    pub(crate) fn make(&mut self) -> String {
        let mut text: Vec<char> = self.seed_text();
        for _ in 0..=self.random.below(4) {
            self.change(&mut text);
        }
        text.truncate(4096);
        text.into_iter().filter(|character| *character != '\0').collect()
    }

    fn seed_text(&mut self) -> Vec<char> {
        let index = self.random.below(self.pool.len());
        self.pool
            .get(index)
            .map(|text| text.chars().collect())
            .unwrap_or_default()
    }

    fn change(&mut self, text: &mut Vec<char>) {
        let at = self.place(text);
        match self.random.below(16) {
            0..=6 => self.insert(text, at),
            7 | 8 => {
                let end = (at + 1).min(text.len());
                text.drain(at..end);
            }
            9 => {
                let end = (at + 1 + self.random.below(8)).min(text.len());
                text.drain(at..end);
            }
            10 => {
                let end = (at + 1 + self.random.below(6)).min(text.len());
                let copy: Vec<char> = text.get(at..end).unwrap_or_default().to_vec();
                text.splice(at..at, copy);
            }
            11 => {
                let other = self.place(text);
                if at < text.len() && other < text.len() {
                    text.swap(at, other);
                }
            }
            12 => {
                let piece: Vec<char> = self.random.pick(PIECES).chars().collect();
                let end = (at + piece.len()).min(text.len());
                text.splice(at..end, piece);
            }
            13 => {
                // The head of one text and the tail of another.
                let other = self.seed_text();
                let from = self.random.below(other.len() + 1);
                text.truncate(at);
                text.extend(other.get(from..).unwrap_or_default());
            }
            14 => {
                let joint = self.random.pick(&["; ", "\n", " | ", " && ", " & ", " ", "\\\n"]);
                let other = self.seed_text();
                text.extend(joint.chars());
                text.extend(other);
            }
            _ => {
                let (open, close) = match self.random.below(8) {
                    0 => ("$(", ")"),
                    1 => ("`", "`"),
                    2 => ("\"", "\""),
                    3 => ("'", "'"),
                    4 => ("{ ", "; }"),
                    5 => ("(", ")"),
                    6 => ("${x:-", "}"),
                    _ => ("\"$(", ")\""),
                };
                let end = (at + 1 + self.random.below(12)).min(text.len());
                text.splice(end..end, close.chars());
                text.splice(at..at, open.chars());
            }
        }
    }

    fn insert(&mut self, text: &mut Vec<char>, at: usize) {
        let piece = self.random.pick(PIECES);
        text.splice(at..at, piece.chars());
    }

    /// A place, more often beside a character that means something to a shell.
    fn place(&mut self, text: &[char]) -> usize {
        if self.random.percent(40) {
            let marks: Vec<usize> = text
                .iter()
                .enumerate()
                .filter(|(_, character)| !character.is_alphanumeric())
                .map(|(index, _)| index)
                .collect();
            if !marks.is_empty() {
                let chosen = marks.get(self.random.below(marks.len())).copied().unwrap_or(0);
                return (chosen + self.random.below(2)).min(text.len());
            }
        }
        self.random.below(text.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Mutator;

    #[test]
    fn a_seed_makes_the_same_mutants_again() {
        let pool = ["ls -l | grep x".to_owned(), "cat <<E\na\nE\n".to_owned()];
        let texts = |seed| {
            let mut mutator = Mutator::new(seed, &pool);
            (0..50).map(|_| mutator.make()).collect::<Vec<_>>()
        };
        assert_eq!(texts(3), texts(3));
        assert_ne!(texts(3), texts(4));
    }

    #[test]
    fn an_empty_pool_is_no_reason_to_fail() {
        assert!(Mutator::new(1, &[]).make().len() < 200);
    }
}
