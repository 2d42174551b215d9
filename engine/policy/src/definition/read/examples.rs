//! Reads what stands beside a command: words alone, exit codes and examples.
//!
//! Invariant (nothing skipped): a claim that is not of the vocabulary is a problem.

use kdl::{KdlNode, KdlValue};
use smol_str::SmolStr;

use super::super::model::{Alone, Claim, Example, ExitCode};
use super::super::words::CLAIMS;
use super::Reader;
use super::node::{children, node_span};

impl Reader {
    pub(super) fn alone(&mut self, node: &KdlNode) -> Vec<Alone> {
        self.props(node, &["of", "in-commands"]);
        self.no_children(node);
        let of: Vec<SmolStr> = self
            .text_prop(node, "of")
            .unwrap_or_default()
            .split_whitespace()
            .map(SmolStr::new)
            .collect();
        let in_commands = self.switch_prop(node, "in-commands");
        self.texts(node, 1)
            .into_iter()
            .map(|words| Alone {
                words,
                of: of.clone(),
                in_commands,
            })
            .collect()
    }

    pub(super) fn exit_code(&mut self, node: &KdlNode) -> Option<ExitCode> {
        self.props(node, &["ok"]);
        let code = node
            .get(0)
            .and_then(|value| {
                value
                    .as_integer()
                    .or_else(|| value.as_string().and_then(|text| text.parse().ok()))
            })
            .and_then(|code| i32::try_from(code).ok());
        let Some(code) = code else {
            self.problem(node_span(node), "an exit code is a number", None);
            return None;
        };
        Some(ExitCode {
            command: self.path.clone(),
            code,
            about: node
                .get(1)
                .and_then(KdlValue::as_string)
                .map(SmolStr::new)
                .unwrap_or_default(),
            ok: self.switch_prop(node, "ok"),
        })
    }

    pub(super) fn tests(&mut self, node: &KdlNode) -> Vec<Example> {
        let mut out = Vec::new();
        for child in children(node) {
            let claim = match child.name().value() {
                "reads" => Claim::Reads,
                "writes" => Claim::Writes,
                "deletes" => Claim::Deletes,
                "runs" => Claim::Runs,
                "connects" => Claim::Connects,
                "loads-code" => Claim::LoadsCode,
                "nothing" => Claim::Nothing,
                "unknown" => Claim::Unknown,
                "known" => Claim::Known,
                "changes" => Claim::Changes,
                _ => {
                    self.unknown_node(child, CLAIMS);
                    continue;
                }
            };
            self.props(child, &[]);
            let mut texts = self.texts(child, 1).into_iter();
            let Some(command) = texts.next() else { continue };
            let span = node_span(child);
            let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            out.push(Example {
                claim,
                command,
                expected: texts.collect(),
                span: (offset(span.start), offset(span.end)),
            });
        }
        out
    }
}
