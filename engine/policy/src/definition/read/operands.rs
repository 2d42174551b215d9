//! Reads operands.
//!
//! Invariant (one reading): at most one of the operands that hold together takes any number of words.

use kdl::{KdlNode, KdlValue};
use smol_str::SmolStr;

use super::super::model::{Arg, Block};
use super::super::usage::parse_arg;
use super::super::words::{IGNORED, VALUE};
use super::Reader;
use super::node::{children, node_span};

impl Reader {
    pub(super) fn arg(&mut self, node: &KdlNode) -> Option<Arg> {
        self.props(node, &["unless-given", "when-given", "default", "effect"]);
        let text = self.text(node)?;
        let mut arg = match parse_arg(&text) {
            Ok(arg) => arg,
            // `"<start> <end>"` is two words in the usage specification.
            Err(message) => match text.split_whitespace().next().map(parse_arg) {
                Some(Ok(first)) if self.published => Arg {
                    variadic: true,
                    ..first
                },
                Some(_) | None => {
                    self.problem(node_span(node), message, None);
                    return None;
                }
            },
        };
        if node.get("var").and_then(KdlValue::as_bool) == Some(true) {
            arg.variadic = true;
        }
        if node.get("required").and_then(KdlValue::as_bool) == Some(false) {
            arg.required = false;
        }
        if node.get("double_dash").and_then(KdlValue::as_string) == Some("required") {
            arg.after_dashes = true;
        }
        arg.unless_given = self.text_prop(node, "unless-given");
        arg.when_given = self.text_prop(node, "when-given");
        arg.default = node
            .get("default")
            .and_then(KdlValue::as_string)
            .map(SmolStr::new);
        for child in children(node) {
            let name = child.name().value();
            if VALUE.contains(&name) {
                arg.effects.extend(self.value_effect(child));
            } else if name == "default" {
                // One operand that is not given stands for one; what stands for several is not known to be read.
                let text = child.get(0).and_then(KdlValue::as_string);
                if !self.published && (text.is_none() || child.get(1).is_some()) {
                    self.problem(node_span(child), "`default` takes one text", None);
                }
                arg.default = arg.default.or_else(|| text.map(SmolStr::new));
            } else if !IGNORED.contains(&name) && !matches!(name, "complete" | "effect") {
                self.unknown_node(child, VALUE);
            }
        }
        Some(arg)
    }

    /// `--` operands come last, and only one of the others takes any number.
    pub(super) fn args_in_order(&mut self, args: &[Arg], nodes: &[&KdlNode]) {
        let place = |name: &str| {
            nodes
                .iter()
                .filter(|node| node.name().value() == "arg")
                .find(|node| {
                    node.get(0)
                        .and_then(KdlValue::as_string)
                        .is_some_and(|text| text.contains(name))
                })
                .map_or(0..0, |node| node_span(node))
        };
        let mut before: Option<&Arg> = None;
        for arg in args.iter().filter(|arg| arg.variadic && !arg.after_dashes) {
            if let Some(first) = before {
                let alternatives = arg.unless_given.is_some()
                    || arg.when_given.is_some()
                    || first.unless_given.is_some()
                    || first.when_given.is_some();
                if !alternatives && !self.published {
                    self.problem(
                        place(&arg.name),
                        format!(
                            "`{}` and `{}` both take any number of words",
                            first.name, arg.name
                        ),
                        None,
                    );
                }
            }
            before = Some(arg);
        }
    }
}

pub(super) fn runs_operands(args: &[Arg], blocks: &[Block]) -> bool {
    args.iter()
        .flat_map(|arg| &arg.effects)
        .any(|effect| effect.kind.takes_the_rest())
        || blocks
            .iter()
            .any(|block| runs_operands(&block.args, &block.blocks))
}
