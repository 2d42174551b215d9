//! Facts about words that say nothing alone, and about blocks that ask for values and operands.

use engine_shell::{Count, Field, Origin, Span, Value};

use super::super::apply::ApplyContext;
use super::{effects, kinds, used, used_with};
use crate::effect::UnknownKind;

const CLI: &str = r#"
bin "cli"
source "test"
alone "--help" in-commands=#true
alone "--version"
network
flags "--plain" "--width <n>" global=#true
cmd "item" "items" {
    cmd "drop" { effect "destructive"; arg "<name>"; complete }
    cmd "pass" { options style="none"; effect "write"; arg "[word]..." }
}
cmd "call" {
    flag "-X --method <method>"
    flag "-f --field <field>"
    flag "-q <text>"
    unless flag="-X" value="GET HEAD" { when flag="-X -f" { effect "write" } }
    arg "<place>"
    complete
}
cmd "set" {
    arg "<key>"
    arg "[value]" { reads at="./" keep=#true; reads at="file:" }
    when operand="alias.* core.editor" index=1 fold=#true { unknown "names a program" }
}
"#;

#[test]
fn words_alone_hold_after_the_names_of_subcommands() {
    assert_eq!(effects(&used(CLI, "cli --help")), Vec::<String>::new());
    assert_eq!(effects(&used(CLI, "cli item drop --help")), Vec::<String>::new());
    assert_eq!(effects(&used(CLI, "cli items drop --help")), Vec::<String>::new());
    assert!(used(CLI, "cli item drop --help").complete);
    let drop = ["Connects(None)", "Changes { destructive: true }"];
    assert_eq!(effects(&used(CLI, "cli item drop x --help")), drop);
    assert_eq!(effects(&used(CLI, "cli item drop --help x")), drop);
    assert_eq!(effects(&used(CLI, "cli item drop --version")), drop);
    assert_eq!(
        effects(&used(CLI, "cli item pass --help")),
        ["Connects(None)", "Changes { destructive: false }"]
    );
    let unknown = [UnknownKind::Subcommand, UnknownKind::Option];
    assert_eq!(kinds(&used(CLI, "cli evil --help")), unknown);
    assert_eq!(kinds(&used(CLI, "cli 'item drop' --help")), unknown);
}

#[test]
fn several_options_can_be_accepted_after_subcommands_too() {
    assert_eq!(kinds(&used(CLI, "cli call --plain --width=5 x")), []);
    assert_eq!(kinds(&used(CLI, "cli --plain call x")), []);
}

#[test]
fn a_block_can_ask_what_the_value_of_an_option_is() {
    let writes = ["Connects(None)", "Changes { destructive: false }"];
    let reads = ["Connects(None)"];
    assert_eq!(effects(&used(CLI, "cli call x")), reads);
    assert_eq!(effects(&used(CLI, "cli call -f a=b x")), writes);
    assert_eq!(effects(&used(CLI, "cli call -X GET -f a=b x")), reads);
    assert_eq!(effects(&used(CLI, "cli call --method=HEAD x")), reads);
    assert_eq!(effects(&used(CLI, "cli call -XDELETE x")), writes);
    assert_eq!(effects(&used(CLI, "cli call -X GET -X DELETE x")), writes);
    assert_eq!(effects(&used(CLI, "cli call -X get x")), writes);
}

#[test]
fn the_value_of_an_option_that_is_not_known_may_be_any() {
    let mut words = super::super::example::fields("cli call -X M x");
    words[3] = Field {
        value: Value::Unknown(Origin::Variable),
        count: Count::One,
        ..Field::literal("", Span::default())
    };
    let used = used_with(CLI, &words, &ApplyContext::default());
    assert_eq!(
        effects(&used),
        ["Connects(None)", "Changes { destructive: false }"]
    );
}

#[test]
fn operands_are_told_apart_by_patterns_without_regard_to_case() {
    assert_eq!(kinds(&used(CLI, "cli set user.name x")), []);
    assert_eq!(kinds(&used(CLI, "cli set alias.st x")), [UnknownKind::Stated]);
    assert_eq!(kinds(&used(CLI, "cli set Core.Editor x")), [UnknownKind::Stated]);
    assert_eq!(kinds(&used(CLI, "cli set user.name alias.st")), []);
}

#[test]
fn the_beginning_of_a_value_can_be_asked_for_without_cutting_it_off() {
    assert_eq!(effects(&used(CLI, "cli set k ./x")), ["Connects(None)", "r ./x"]);
    assert_eq!(effects(&used(CLI, "cli set k file:x")), ["Connects(None)", "r x"]);
    assert_eq!(effects(&used(CLI, "cli set k x")), ["Connects(None)"]);
}
