//! The pieces that generated texts are made of. `plain` ones stand for what people write every day, `awkward` ones for what readers
//! have been seen to misread, and for what is outside of the understood grammar. Where a piece stands in its list is part of what a seed
//! means.

mod commands;
mod quoted;
mod traps;
mod words;

pub(super) use self::commands::{BUILTINS, NAMES, PROGRAMS, SEPARATORS};
pub(super) use self::quoted::{ANSI, DELIMITERS, DOUBLE, LINES, SINGLE};
pub(super) use self::traps::TRAPS;
pub(super) use self::words::{ARITHMETIC, EXPANSIONS, LITERALS, OPERATORS, PATTERNS};
