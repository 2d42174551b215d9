//! Inputs that are close to real ones: cut, joined, repeated, and with the pieces that matter to shells put in.
//!
//! Invariant (repeatable): the same seed gives the same inputs on every machine.

/// Pieces that mean something to a shell or to a policy reader.
const PIECES: &[&str] = &[
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "$(",
    ")",
    "`",
    "'",
    "\"",
    "\\",
    "$'",
    "${",
    "}",
    "<<E\n",
    "\nE\n",
    "<(",
    ">",
    ">>",
    "<",
    "<<<",
    "2>&1",
    "(",
    "{ ",
    "; }",
    "((",
    "))",
    "[[ ",
    " ]]",
    "if ",
    "; then ",
    "; fi",
    "for i in ",
    "; do ",
    "; done",
    "case x in ",
    ") ;; esac",
    "function f { ",
    "f() { ",
    "$x",
    "$1",
    "\"$@\"",
    "${x:-",
    "${x#",
    "${!x}",
    "$((",
    "x=",
    "x=(",
    "~",
    "*",
    "?",
    "[a-z]",
    "{a,b}",
    "{1..9}",
    "#",
    " ",
    "\t",
    "\r",
    "\u{0}",
    "é",
    "\u{200b}",
    "\u{202e}",
    "-",
    "--",
    "-c",
    "eval ",
    "exec ",
    "trap ",
    "cd ",
    "..",
    "/",
    "=",
    "!",
    "time ",
    "coproc ",
    "EOF",
    "@",
    "%",
    "^",
    "/* ",
    " */",
    "//",
    "#\"",
    "\"#",
    "\"\"\"",
    "\\u{41}",
    "true",
    "#true",
    "0x",
    "allow ",
    "deny ",
    "[[",
    "]]",
    "[a]\n",
    "...",
    "(a|b)",
    "[x]",
];

/// Makes inputs out of seeds.
#[derive(Clone, Debug)]
pub struct Mutator {
    state: u64,
}

impl Mutator {
    /// A source of inputs; equal seeds make equal inputs.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// A number below `bound`, 0 for the bound 0 (xorshift64*, Vigna 2016).
    pub fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let number = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16;
        usize::try_from(number)
            .unwrap_or_default()
            .checked_rem(bound)
            .unwrap_or_default()
    }

    /// One of some texts, empty if there are none.
    pub fn pick<'t, T: AsRef<str>>(&mut self, texts: &'t [T]) -> &'t str {
        let index = self.below(texts.len());
        texts.get(index).map_or("", AsRef::as_ref)
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// A text that is one to four changes away from one of the seeds.
    pub fn mutant<T: AsRef<str>>(&mut self, seeds: &[T]) -> String {
        let mut text = self.pick(seeds).to_owned();
        for _ in 0..=self.below(4) {
            let (a, b) = (self.place(&text), self.place(&text));
            let (start, end) = (a.min(b), a.max(b));
            match self.below(6) {
                0 => text.insert_str(start, self.pick(PIECES)),
                1 => text.replace_range(start..end, ""),
                2 => text.truncate(end),
                3 => {
                    let other = self.pick(seeds).to_owned();
                    let from = self.place(&other);
                    text.insert_str(start, other.get(from..).unwrap_or_default());
                }
                4 => {
                    let again = text.get(start..end).unwrap_or_default().to_owned();
                    text.insert_str(end, &again);
                }
                _ => {
                    let piece = self.pick(PIECES);
                    text.insert_str(end, piece);
                    text.insert_str(start, self.pick(PIECES));
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Mutator;

    #[test]
    fn equal_seeds_make_equal_inputs() {
        let inputs = |seed| {
            let mut mutator = Mutator::new(seed);
            (0..50)
                .map(|_| mutator.mutant(&["git push -f", "cat < é"]))
                .collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
    }
}
