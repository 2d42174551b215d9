//! How much of a result a model is shown, and what stands in place of the rest.
//!
//! Invariant (stable): what was decided about a result once stays so, byte for byte, for as long as the conversation goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::definition::Budget;

/// Most characters of one result, whatever its tool declares.
pub const SYSTEM_CHARS: u32 = 50_000;

/// Most characters of all results of one turn.
pub const MESSAGE_CHARS: u32 = 200_000;

/// Bytes of a result that is put on disk that a model still sees.
pub const PREVIEW_BYTES: usize = 2_000;

/// The figures of a session: those above, unless policies say others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// Most characters of one result.
    pub system: u32,
    /// Most characters of all results of one turn.
    pub message: u32,
    /// Figures that a policy gives to tools, by name.
    pub tools: BTreeMap<SmolStr, Budget>,
    /// Figures that tools do not get more than, by name, whatever policies that may not loosen say beside them.
    pub caps: BTreeMap<SmolStr, u32>,
    /// No tool gets more than this; set by a managed policy.
    pub cap: Option<u32>,
    /// No turn gets more than this; set by a managed policy.
    pub message_cap: Option<u32>,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            system: SYSTEM_CHARS,
            message: MESSAGE_CHARS,
            tools: BTreeMap::new(),
            caps: BTreeMap::new(),
            cap: None,
            message_cap: None,
        }
    }
}

impl Budgets {
    /// The budget of one result, in this order:
    ///
    /// 1. what a policy says about the tool, else what its definition declares but no more than the system's figure;
    /// 2. never more than the tool's cap and a managed policy's, not even where it is unlimited.
    #[must_use]
    pub fn of_tool(&self, name: &str, declared: Budget) -> Budget {
        let budget = match (self.tools.get(name), declared) {
            (Some(said), _) => *said,
            (None, Budget::Chars(chars)) => Budget::Chars(chars.min(self.system)),
            (None, Budget::Unlimited) => Budget::Unlimited,
        };
        let caps = [self.caps.get(name).copied(), self.cap];
        match (budget, caps.into_iter().flatten().min()) {
            (Budget::Chars(chars), Some(cap)) => Budget::Chars(chars.min(cap)),
            (Budget::Unlimited, Some(cap)) => Budget::Chars(cap),
            (budget, None) => budget,
        }
    }

    /// The budget of a turn.
    #[must_use]
    pub fn of_message(&self) -> u32 {
        self.message.min(self.message_cap.unwrap_or(u32::MAX))
    }
}

/// Whether a result is longer than its budget.
#[must_use]
pub fn is_over(budget: Budget, text: &str) -> bool {
    match budget {
        Budget::Unlimited => false,
        // A text has no more characters than bytes.
        Budget::Chars(chars) => text.len() > chars as usize && text.chars().nth(chars as usize).is_some(),
    }
}

/// How the file of a result ends: JSON objects and lists are told from other text.
#[must_use]
pub fn extension(text: &str) -> &'static str {
    let looks = text.trim_start().starts_with(['{', '[']);
    if looks && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        "json"
    } else {
        "txt"
    }
}

/// The beginning of a result: at most [`PREVIEW_BYTES`], up to the end of a line unless the last line is more than half of it.
#[must_use]
pub fn preview(text: &str) -> &str {
    if text.len() <= PREVIEW_BYTES {
        return text;
    }
    let end = text.floor_char_boundary(PREVIEW_BYTES);
    let cut = text.get(..end).unwrap_or_default();
    match cut.rfind('\n') {
        Some(line) if line > PREVIEW_BYTES / 2 => cut.get(..line).unwrap_or(cut),
        Some(_) | None => cut,
    }
}

/// What a model is shown in place of a result that stands in a file.
///
/// `bytes` is the size of the whole result and `beginning` what [`preview`] made of it, so that nobody needs the whole in memory.
#[must_use]
pub fn persisted(path: &str, bytes: u64, beginning: &str) -> String {
    let mut out = format!(
        "<persisted-output>\nOutput too large ({}). Full output saved to: {path}\n\nPreview (first {}):\n{beginning}\n",
        size(bytes),
        size(PREVIEW_BYTES as u64),
    );
    if (beginning.len() as u64) < bytes {
        out.push_str("...\n");
    }
    out.push_str("</persisted-output>");
    out
}

/// Bytes for people: `2KB`, `1.5MB`; a unit is 1024 of the one before, rounded to a tenth.
fn size(bytes: u64) -> String {
    const KB: u64 = 1 << 10;
    let (unit, word) = match bytes {
        0..KB => return format!("{bytes} bytes"),
        KB..0x10_0000 => (KB, "KB"),
        0x10_0000..0x4000_0000 => (KB << 10, "MB"),
        _ => (KB << 20, "GB"),
    };
    let tenths = (u128::from(bytes) * 10 + u128::from(unit) / 2) / u128::from(unit);
    if tenths.is_multiple_of(10) {
        format!("{}{word}", tenths / 10)
    } else {
        format!("{}.{}{word}", tenths / 10, tenths % 10)
    }
}

/// One result of a turn, as the budget of the turn looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sized {
    /// Characters that a model would be shown.
    pub chars: usize,
    /// Characters of what would stand in its place; `None` where nothing may (unlimited, or decided earlier).
    pub replaced: Option<usize>,
}

/// Which results of a turn are put on disk so that the others fit: the largest first, no more than are needed.
///
/// Equal sizes are taken in the order of the calls. Results that nothing replaces count, and stay.
#[must_use]
pub fn over_message(results: &[Sized], limit: u32) -> Vec<usize> {
    let limit = limit as usize;
    let mut total: usize = results.iter().map(|result| result.chars).sum();
    let mut order: Vec<(usize, &Sized)> = results.iter().enumerate().collect();
    order.sort_by_key(|(at, result)| (std::cmp::Reverse(result.chars), *at));
    let mut chosen = Vec::new();
    for (at, result) in order {
        if total <= limit {
            break;
        }
        if let Some(replaced) = result.replaced
            && replaced < result.chars
        {
            total = total - result.chars + replaced;
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// What became of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is shown as it is.
    Kept,
    /// This text stands in its place.
    Replaced(Arc<str>),
}

/// What was decided about each result of a conversation, by the id of its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    fates: BTreeMap<SmolStr, Fate>,
}

impl Ledger {
    /// What was decided about a result, if anything was.
    #[must_use]
    pub fn fate(&self, call: &str) -> Option<&Fate> {
        self.fates.get(call)
    }

    /// Keeps a decision, and gives the one that holds: the first one about a result is the only one.
    pub fn decide(&mut self, call: &str, fate: Fate) -> &Fate {
        self.fates.entry(call.into()).or_insert(fate)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Budgets, Fate, Ledger, PREVIEW_BYTES, Sized, extension, is_over, over_message, persisted, preview,
    };
    use crate::definition::Budget;

    #[test]
    fn a_declared_budget_is_never_above_that_of_the_system() {
        let budgets = Budgets::default();
        assert_eq!(
            budgets.of_tool("Edit", Budget::Chars(100_000)),
            Budget::Chars(50_000)
        );
        assert_eq!(
            budgets.of_tool("Grep", Budget::Chars(20_000)),
            Budget::Chars(20_000)
        );
        assert_eq!(budgets.of_tool("Read", Budget::Unlimited), Budget::Unlimited);
    }

    #[test]
    fn a_policy_overrides_and_a_managed_one_caps() {
        let mut budgets = Budgets::default();
        budgets.tools.insert("Grep".into(), Budget::Chars(80_000));
        assert_eq!(
            budgets.of_tool("Grep", Budget::Chars(20_000)),
            Budget::Chars(80_000)
        );
        budgets.cap = Some(10_000);
        assert_eq!(
            budgets.of_tool("Grep", Budget::Chars(20_000)),
            Budget::Chars(10_000)
        );
        assert_eq!(budgets.of_tool("Read", Budget::Unlimited), Budget::Chars(10_000));
    }

    #[test]
    fn characters_count_not_bytes() {
        assert!(!is_over(Budget::Chars(3), "äöü"));
        assert!(is_over(Budget::Chars(3), "äöüß"));
        assert!(!is_over(Budget::Unlimited, &"x".repeat(1 << 20)));
    }

    #[test]
    fn a_preview_ends_at_a_line_or_a_character() {
        let lines = "0123456789abcde\n".repeat(200);
        assert_eq!(preview(&lines).len(), 1_999);
        assert!(preview(&lines).ends_with('e'));
        let long = "ä".repeat(1_500);
        assert_eq!(preview(&long).len(), PREVIEW_BYTES);
        let odd = format!("x{long}");
        assert_eq!(preview(&odd).len(), PREVIEW_BYTES - 1);
        let late = format!("a\n{}", "b".repeat(5_000));
        assert_eq!(preview(&late).len(), PREVIEW_BYTES);
        assert_eq!(preview("short\n"), "short\n");
    }

    #[test]
    fn what_stands_in_place_of_a_result() {
        let text = "x".repeat(100_000);
        let shown = persisted("/s/tool-results/call.txt", text.len() as u64, preview(&text));
        let expected = format!(
            "<persisted-output>\nOutput too large (97.7KB). Full output saved to: /s/tool-results/call.txt\n\n\
             Preview (first 2KB):\n{}\n...\n</persisted-output>",
            "x".repeat(2_000)
        );
        assert_eq!(shown, expected);
    }

    #[test]
    fn json_is_told_from_text() {
        assert_eq!(extension("{\"a\": 1}"), "json");
        assert_eq!(extension("[1, 2]"), "json");
        assert_eq!(extension("[1, 2"), "txt");
        assert_eq!(extension("17"), "txt");
    }

    #[test]
    fn the_largest_results_of_a_turn_go_first() {
        let result = |chars| Sized {
            chars,
            replaced: Some(100),
        };
        let turn = [result(50), result(500), result(300), result(400)];
        assert_eq!(over_message(&turn, 2_000), Vec::<usize>::new());
        assert_eq!(over_message(&turn, 900), [1]);
        assert_eq!(over_message(&turn, 600), [1, 3]);
        // What is smaller than its replacement stays.
        assert_eq!(over_message(&turn, 10), [1, 2, 3]);
    }

    #[test]
    fn unlimited_results_count_and_stay() {
        let unlimited = Sized {
            chars: 1_000,
            replaced: None,
        };
        let other = Sized {
            chars: 500,
            replaced: Some(10),
        };
        assert_eq!(over_message(&[unlimited, other], 1_200), [1]);
        assert_eq!(over_message(&[unlimited], 10), Vec::<usize>::new());
    }

    #[test]
    fn the_first_decision_about_a_result_holds() {
        let mut ledger = Ledger::default();
        assert_eq!(
            ledger.decide("a", Fate::Replaced("first".into())),
            &Fate::Replaced("first".into())
        );
        assert_eq!(
            ledger.decide("a", Fate::Replaced("second".into())),
            &Fate::Replaced("first".into())
        );
        assert_eq!(ledger.decide("b", Fate::Kept), &Fate::Kept);
        assert_eq!(ledger.decide("b", Fate::Replaced("later".into())), &Fate::Kept);
        assert_eq!(ledger.fate("c"), None);
    }
}
