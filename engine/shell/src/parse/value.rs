//! Numbers: reading them, and computing arithmetic that is made of nothing else.

/// A decimal number of at most nine digits, with an optional minus.
pub(super) fn decimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// A token of arithmetic without variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number(i64),
    Prefix(u8),
    Binary(Operator),
    Open,
    Close,
}

/// A binary operator that is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    fn strength(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide | Self::Remainder => 2,
        }
    }

    /// `None` for what bash refuses or wraps around.
    fn apply(self, left: i64, right: i64) -> Option<i64> {
        match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide => left.checked_div(right),
            Self::Remainder => left.checked_rem(right),
        }
    }
}

/// Computes a sequence of tokens that alternate well; `None` where the result is not an exact number.
pub(super) fn compute(tokens: &[Token]) -> Option<i64> {
    let mut numbers: Vec<i64> = Vec::new();
    let mut waiting: Vec<Token> = Vec::new();
    for token in tokens {
        match *token {
            Token::Number(number) => {
                numbers.push(number);
                apply_prefixes(&mut numbers, &mut waiting)?;
            }
            Token::Prefix(_) | Token::Open => waiting.push(*token),
            Token::Close => {
                while let Some(Token::Binary(operator)) = waiting.last().copied() {
                    waiting.pop();
                    apply(&mut numbers, operator)?;
                }
                if waiting.pop() != Some(Token::Open) {
                    return None;
                }
                apply_prefixes(&mut numbers, &mut waiting)?;
            }
            Token::Binary(operator) => {
                while let Some(Token::Binary(earlier)) = waiting.last().copied() {
                    if earlier.strength() < operator.strength() {
                        break;
                    }
                    waiting.pop();
                    apply(&mut numbers, earlier)?;
                }
                waiting.push(*token);
            }
        }
    }
    while let Some(token) = waiting.pop() {
        match token {
            Token::Binary(operator) => apply(&mut numbers, operator)?,
            Token::Number(_) | Token::Prefix(_) | Token::Open | Token::Close => return None,
        }
    }
    match numbers.as_slice() {
        [number] => Some(*number),
        _ => None,
    }
}

fn apply_prefixes(numbers: &mut Vec<i64>, waiting: &mut Vec<Token>) -> Option<()> {
    while let Some(Token::Prefix(prefix)) = waiting.last().copied() {
        waiting.pop();
        let number = numbers.pop()?;
        numbers.push(match prefix {
            b'-' => number.checked_neg()?,
            b'+' => number,
            _ => return None,
        });
    }
    Some(())
}

fn apply(numbers: &mut Vec<i64>, operator: Operator) -> Option<()> {
    let right = numbers.pop()?;
    let left = numbers.pop()?;
    numbers.push(operator.apply(left, right)?);
    Some(())
}
