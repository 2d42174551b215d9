//! What begins with `$`: parameters and their operators (POSIX 2.6.2; bash manual 3.5.3).

use crate::{Arithmetic, Construct, Index, Parameter, ParameterOp, Part, PartKind, Shell};

use super::{
    Parsed,
    arithmetic::Ending,
    cursor::{Parser, begins_name, in_name, is_meta},
    operand::Operand,
    value::decimal,
};

impl Parser<'_> {
    /// Whether the `$` here begins an expansion; otherwise it stands for itself.
    pub(super) fn dollar_expands(&mut self, quoted: bool) -> Parsed<bool> {
        self.plain = false;
        match self.peek_at(1) {
            b'(' | b'{' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => Ok(true),
            byte if in_name(byte) => Ok(true),
            b'[' => Err(self.here(Construct::LegacyArithmetic)),
            b'\'' if !quoted => Ok(true),
            b'"' if !quoted => Err(self.here(Construct::LocaleString)),
            b'`' => Err(self.here(Construct::UnexpectedToken)),
            b'\\' if self.peek_at(2) == b'\n' => Err(self.here(Construct::SplitToken)),
            b'"' | b'/' | b'.' | b',' | b'%' | b'\'' | b'}' => Ok(false),
            byte if is_meta(byte) => Ok(false),
            _ => {
                // `$+x`, `$=x` and the like expand in zsh.
                self.not_zsh(self.pos)?;
                Ok(false)
            }
        }
    }

    /// An expansion that begins with the `$` here.
    pub(super) fn dollar(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        match self.peek_at(1) {
            b'(' if self.peek_at(2) == b'(' => self.arithmetic_expansion(parts),
            b'(' => self.command_substitution(parts),
            b'{' => self.braced(quoted, parts),
            b'\'' => self.ansi_c(parts),
            _ => self.bare_parameter(parts),
        }
    }

    /// `$name`, `$1`, `$@`
    fn bare_parameter(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.pos += 2;
        if begins_name(self.byte(start + 1)) {
            while in_name(self.peek()) {
                self.pos += 1;
            }
            if self.continues_at(0) {
                return self.continued_name(start, parts);
            }
        }
        self.check_zsh_neighbour(start)?;
        if self.byte(start + 1) == b'$' && self.peek() == b'{' {
            // Looking for braces, bash takes the second dollar for the start of an expansion.
            return Err(self.since(Construct::BraceForm, start));
        }
        self.push_parameter(start, parts)
    }

    /// A name before a line continuation: complete only where nothing follows that could belong to it.
    fn continued_name(&mut self, start: usize, parts: &mut Vec<Part>) -> Parsed<()> {
        let mut after = 0;
        while self.continues_at(after) {
            after += 2;
        }
        let next = self.peek_at(after);
        if in_name(next) || next == b'[' {
            self.pos += after;
            return Err(self.since(Construct::SplitToken, start));
        }
        self.check_zsh_neighbour(start)?;
        self.push_parameter(start, parts)
    }

    fn push_parameter(&mut self, start: usize, parts: &mut Vec<Part>) -> Parsed<()> {
        parts.push(Part {
            kind: PartKind::Parameter(Box::new(Parameter {
                name: self.slice(start + 1, self.pos)?.into(),
                index: None,
                op: ParameterOp::Plain,
            })),
            span: self.span(start),
        });
        Ok(())
    }

    /// zsh reads subscripts, modifiers and lengths directly after an unbraced parameter.
    fn check_zsh_neighbour(&self, start: usize) -> Parsed<()> {
        if self.shell != Shell::Zsh {
            return Ok(());
        }
        let next = self.peek();
        let differs = match next {
            b'[' => true,
            b':' => !matches!(
                self.peek_at(1),
                b'/' | b'$' | b'"' | b'.' | b' ' | b'\t' | b'\n' | 0
            ),
            // `$20` is one parameter, and what opens a piece after `$$` belongs to its second dollar.
            // Letters beyond ASCII belong to the name.
            0x80.. if in_name(self.byte(start + 1)) => true,
            b'0'..=b'9' if self.byte(start + 1).is_ascii_digit() => true,
            b'{' | b'(' | b'\'' | b'$' if self.byte(start + 1) == b'$' => true,
            _ => self.byte(start + 1) == b'#' && !is_meta(next) && next != b'"',
        };
        if differs {
            return Err(self.since(Construct::NotInThisShell, start));
        }
        Ok(())
    }

    /// `$((expression))`; what does not close with `))` is refused, though shells may read it as nested subshells.
    fn arithmetic_expansion(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.pos += 3;
        let expression = self.arithmetic(Ending::Expansion)?;
        parts.push(Part {
            kind: PartKind::Arithmetic(expression),
            span: self.span(start),
        });
        Ok(())
    }

    /// `${...}`
    #[inline(never)]
    fn braced(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.enter()?;
        self.pos += 2;
        match self.peek() {
            b' ' | b'\t' | b'\n' | b'|' => return Err(self.since(Construct::FunsubExpansion, start)),
            b'!' if self.peek_at(1) != b'}' => {
                self.pos += 1;
                return Err(self.since(Construct::IndirectExpansion, start));
            }
            b'(' => self.not_zsh(start)?,
            _ => {}
        }
        let length = self.peek() == b'#' && self.peek_at(1) != b'}';
        if length {
            self.pos += 1;
        }
        let name_start = self.pos;
        self.braced_name(start, length)?;
        let name = self.slice(name_start, self.pos)?;
        let index = self.index(name, start)?;
        let op = if length {
            ParameterOp::Length
        } else {
            self.operator(name, quoted, start)?
        };
        if self.peek() != b'}' {
            return Err(if self.at_end() {
                self.since(Construct::UnclosedExpansion, start)
            } else {
                self.here(Construct::ExpansionOperator)
            });
        }
        self.pos += 1;
        self.leave();
        if self.shell == Shell::Zsh && self.peek() == b'[' {
            return Err(self.since(Construct::NotInThisShell, start));
        }
        let name = name.into();
        parts.push(Part {
            kind: PartKind::Parameter(Box::new(Parameter { name, index, op })),
            span: self.span(start),
        });
        Ok(())
    }

    fn braced_name(&mut self, start: usize, length: bool) -> Parsed<()> {
        let first = self.peek();
        if begins_name(first) {
            while in_name(self.peek()) {
                self.pos += 1;
            }
            return Ok(());
        }
        if first.is_ascii_digit() {
            while self.peek().is_ascii_digit() {
                self.pos += 1;
            }
            return Ok(());
        }
        let special = match first {
            b'@' | b'*' => {
                if length {
                    self.not_sh(start)?;
                }
                true
            }
            // With an operator or as a length these are read in more than one way.
            b'#' | b'?' | b'-' | b'$' | b'!' => !length && self.peek_at(1) == b'}',
            _ => false,
        };
        if !special {
            return Err(if self.at_end() {
                self.since(Construct::UnclosedExpansion, start)
            } else {
                self.since(Construct::ExpansionOperator, start)
            });
        }
        self.pos += 1;
        Ok(())
    }

    /// `[@]`, `[*]`, `[3]` after a name.
    fn index(&mut self, name: &str, start: usize) -> Parsed<Option<Index>> {
        if self.peek() != b'[' {
            return Ok(None);
        }
        self.not_sh(start)?;
        let open = self.pos;
        self.pos += 1;
        while matches!(self.peek(), b'0'..=b'9' | b'-' | b'@' | b'*') {
            self.pos += 1;
        }
        let text = self.slice(open + 1, self.pos)?;
        let index = match text {
            "@" => Some(Index::All),
            "*" => Some(Index::Joined),
            _ => decimal(text).map(Index::At),
        };
        match index {
            Some(index) if self.peek() == b']' && name.bytes().next().is_some_and(begins_name) => {
                self.pos += 1;
                if let Index::At(_) = index {
                    // zsh counts from one.
                    self.not_zsh(start)?;
                }
                Ok(Some(index))
            }
            _ => Err(self.since(Construct::Subscript, open)),
        }
    }

    /// The operator after a name, with its operands; stops before the closing brace.
    fn operator(&mut self, name: &str, quoted: bool, start: usize) -> Parsed<ParameterOp> {
        let byte = self.peek();
        let doubled = self.peek_at(1) == byte;
        match byte {
            b'}' | 0 => Ok(ParameterOp::Plain),
            b':' => match self.peek_at(1) {
                operator @ (b'-' | b'=' | b'+' | b'?') => {
                    self.pos += 2;
                    self.conditional(operator, true, quoted)
                }
                _ => self.substring(start),
            },
            b'-' | b'=' | b'+' | b'?' => {
                self.pos += 1;
                self.conditional(byte, false, quoted)
            }
            b'#' | b'%' => {
                let longest = doubled;
                self.pos += if longest { 2 } else { 1 };
                if matches!(name, "@" | "*") {
                    self.not_sh(start)?;
                }
                let pattern = self.operand(Operand::Pattern, quoted)?;
                Ok(if byte == b'#' {
                    ParameterOp::RemovePrefix { longest, pattern }
                } else {
                    ParameterOp::RemoveSuffix { longest, pattern }
                })
            }
            b'/' => {
                self.not_sh(start)?;
                self.pos += if doubled { 2 } else { 1 };
                self.replace(doubled, quoted)
            }
            b'^' | b',' => {
                self.bash_only(start)?;
                self.pos += if doubled { 2 } else { 1 };
                let pattern = match self.peek() {
                    b'}' => None,
                    _ => Some(self.operand(Operand::Pattern, quoted)?),
                };
                Ok(ParameterOp::Case {
                    upper: byte == b'^',
                    all: doubled,
                    pattern,
                })
            }
            b'@' => {
                self.pos += 1;
                Err(self.since(Construct::TransformExpansion, start))
            }
            _ => Err(self.here(Construct::ExpansionOperator)),
        }
    }

    fn conditional(&mut self, operator: u8, colon: bool, quoted: bool) -> Parsed<ParameterOp> {
        let word = self.operand(Operand::Value, quoted)?;
        Ok(match operator {
            b'-' => ParameterOp::Default { colon, word },
            b'=' => ParameterOp::Assign { colon, word },
            b'+' => ParameterOp::Alternative { colon, word },
            _ => ParameterOp::Require { colon, word },
        })
    }

    fn replace(&mut self, all: bool, quoted: bool) -> Parsed<ParameterOp> {
        if matches!(self.peek(), b'/' | b'}') {
            return Err(self.here(Construct::ExpansionOperand));
        }
        let pattern = self.operand(Operand::ReplacedPattern, quoted)?;
        let mut replacement = None;
        if self.peek() == b'/' {
            self.pos += 1;
            replacement = Some(self.operand(Operand::Replacement, quoted)?);
        }
        Ok(ParameterOp::Replace {
            all,
            pattern,
            replacement,
        })
    }

    /// `:offset` or `:offset:length`
    fn substring(&mut self, start: usize) -> Parsed<ParameterOp> {
        self.not_sh(start)?;
        self.pos += 1;
        let offset = self.substring_part(start)?;
        let mut length = None;
        if self.peek() == b':' {
            self.pos += 1;
            length = Some(self.substring_part(start)?);
        }
        Ok(ParameterOp::Substring { offset, length })
    }

    fn substring_part(&mut self, start: usize) -> Parsed<Arithmetic> {
        let part = self.arithmetic(Ending::Substring)?;
        if self.shell == Shell::Zsh && part.value.is_none() {
            // A name here is a modifier in zsh.
            return Err(self.since(Construct::NotInThisShell, start));
        }
        Ok(part)
    }
}
