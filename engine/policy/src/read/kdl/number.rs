//! Numbers of KDL 2.0.

use super::super::node::Literal;

/// Reads a word that looks like a number: a digit first, after an optional sign. `None` when it is not a valid one.
pub(super) fn parse_number(word: &str) -> Option<Literal> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let radix = [("0x", 16), ("0o", 8), ("0b", 2)]
        .iter()
        .find_map(|&(prefix, radix)| Some((digits.strip_prefix(prefix)?, radix)));
    let (digits, radix) = radix.unwrap_or((digits, 10));
    if radix == 10 && digits.contains(['.', 'e', 'E']) {
        return decimal(digits).then(|| Literal::Number(word.into()));
    }
    run(digits, radix)?;
    let mut plain: String = if negative { "-".into() } else { String::new() };
    plain.extend(digits.chars().filter(|&c| c != '_'));
    Some(i64::from_str_radix(&plain, radix).map_or_else(|_| Literal::Number(word.into()), Literal::Integer))
}

/// A run of digits and underscores that starts with a digit.
fn run(digits: &str, radix: u32) -> Option<()> {
    let starts = digits.chars().next().is_some_and(|c| c.is_digit(radix));
    (starts && digits.chars().all(|c| c == '_' || c.is_digit(radix))).then_some(())
}

/// `1.5`, `1e9`, `1.5e-9`.
fn decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
    [Some(whole), fraction, exponent]
        .into_iter()
        .flatten()
        .all(|part| run(part, 10).is_some())
}

#[cfg(test)]
mod tests {
    use super::{Literal, parse_number};

    #[test]
    fn whole_numbers_in_every_radix() {
        for (word, value) in [
            ("0", 0),
            ("-12", -12),
            ("+1_000", 1000),
            ("0xFf", 255),
            ("0b1_1", 3),
            ("-0o17", -15),
        ] {
            assert_eq!(parse_number(word), Some(Literal::Integer(value)), "{word}");
        }
    }

    #[test]
    fn malformed_numbers_are_refused() {
        for word in ["1.", "1.x", "0x", "0x_1", "1e", "1a", "1..2", "1.5.2", "0b2"] {
            assert_eq!(parse_number(word), None, "{word}");
        }
    }
}
