//! Facts about subcommands and the options before them.

use engine_shell::Value;

use super::{effects, kinds, normal, shown, used};
use crate::effect::{EffectKind, EffectSource, UnknownKind, Use};

const GIT: &str = r#"
bin "git"
source "test"
flag "-C <path>" { changes-directory }
flag "-c <setting>" { loads-code }
flags "-P --no-pager"
flag "--verbose" global=#true { unknown "loud" }
loads-code ".git/config" keys="core.pager"
cmd "log" "lg" {
    flags "-n <n>" "--oneline"
    flag "--output <file>" { writes }
    arg "[rev]..."
    complete
}
cmd "stash" {
    when operands=0 { effect "write" }
    arg "[what]"
    cmd "list" { complete }
    cmd "drop" effect="destructive" { complete }
}
cmd "run" {
    arg "[name]"
    arg "-- [args]..." { reads }
    complete
}
"#;

#[test]
fn subcommands_have_options_of_their_own() {
    let use_ = used(GIT, "git -P -C a -C b lg --oneline --output=x HEAD");
    assert_eq!(use_.command, ["git", "log"]);
    assert_eq!(
        normal(&use_),
        ["git", "log", "o:--oneline", "o:--output", "v:x", "a:HEAD"]
    );
    assert_eq!(
        use_.set_aside
            .iter()
            .map(|field| shown(&field.value))
            .collect::<Vec<_>>(),
        ["-P", "-C", "a", "-C", "b"]
    );
    let EffectKind::Writes(path) = &use_.effects[1].kind else {
        panic!("{:?}", use_.effects);
    };
    assert_eq!(path.below, Some(Value::Known("a/b".into())));
    assert!(use_.complete);
    assert_eq!(kinds(&use_), []);
    assert!(matches!(use_.effects[0].kind, EffectKind::Consults { .. }));
}

#[test]
fn options_before_a_subcommand_are_set_aside_and_keep_their_effects() {
    let use_ = used(GIT, "git -c a=b log");
    let loads = use_
        .effects
        .iter()
        .find(|effect| effect.source == EffectSource::SetAside);
    assert_eq!(
        loads.unwrap().kind,
        EffectKind::LoadsCode(Value::Known("a=b".into()))
    );
    assert_eq!(kinds(&used(GIT, "git log -P")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(GIT, "git log --verbose")), [UnknownKind::Stated]);
    assert_eq!(kinds(&used(GIT, "git --verbose log")), [UnknownKind::Stated]);
}

#[test]
fn a_subcommand_that_is_not_known_is_unknown() {
    assert_eq!(kinds(&used(GIT, "git logs"))[0], UnknownKind::Subcommand);
    assert_eq!(
        kinds(&used(GIT, "git \"$X\"")).last(),
        Some(&UnknownKind::Subcommand)
    );
    assert_eq!(kinds(&used(GIT, "git")), [UnknownKind::Subcommand]);
    assert_eq!(kinds(&used(GIT, "git stash other")), []);
    assert_eq!(used(GIT, "git stash list").command, ["git", "stash", "list"]);
    let changes = |use_: &Use| {
        use_.effects
            .iter()
            .filter_map(|effect| match effect.kind {
                EffectKind::Changes { destructive } => Some(destructive),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(changes(&used(GIT, "git stash")), [false]);
    assert_eq!(changes(&used(GIT, "git stash list")), Vec::<bool>::new());
    assert_eq!(changes(&used(GIT, "git stash drop")), [true]);
}

#[test]
fn operands_after_two_dashes_can_have_a_place_of_their_own() {
    let use_ = used(GIT, "git run name -- a -b");
    assert_eq!(effects(&use_)[1..], ["r a", "r -b"]);
}

#[test]
fn subcommands_that_take_the_same_keep_their_names() {
    let text = r#"
bin "aws"
cmd "ec2" "iam" each=#true {
    cmd "describe-*" "list-*" { flags "--id <id>" }
    cmd "describe-secrets" { unknown "secret" }
    cmd "*" effect="write" { arg "[word]..." }
}
cmd "old" "new" { arg "[word]..." }
"#;
    let called = |command: &str| used(text, command).command;
    assert_eq!(called("aws iam list-users"), ["aws", "iam", "list-users"]);
    assert_eq!(called("aws ec2 run"), ["aws", "ec2", "run"]);
    assert_eq!(called("aws new"), ["aws", "old"]);
    assert_eq!(
        normal(&used(text, "aws iam list-users --id 1")),
        ["aws", "iam", "list-users", "o:--id", "v:1"]
    );
    assert_eq!(effects(&used(text, "aws ec2 describe-x")), Vec::<String>::new());
    assert_eq!(effects(&used(text, "aws ec2 run")).len(), 1);
    assert_eq!(
        kinds(&used(text, "aws ec2 describe-secrets")),
        [UnknownKind::Stated]
    );
    assert_eq!(kinds(&used(text, "aws s3 list-x"))[0], UnknownKind::Subcommand);
    assert_eq!(
        kinds(&used(text, "aws ec2 \"list-$X\"")).last(),
        Some(&UnknownKind::Subcommand)
    );
}

#[test]
fn one_option_can_stand_for_every_long_one() {
    let text = r#"
bin "aws"
flag "--endpoint-url <url>" global=#true { connects }
cmd "ec2" {
    flag "--* <value>..." { reads at="file://" }
    flag "--dry-run"
    arg "[word]..."
}
"#;
    let use_ = used(
        text,
        "aws ec2 --ids a b --dry-run c --user-data=file://x --endpoint-url h",
    );
    assert_eq!(
        normal(&use_),
        [
            "aws",
            "ec2",
            "o:--ids",
            "v:a",
            "v:b",
            "o:--dry-run",
            "a:c",
            "o:--user-data",
            "v:file://x",
            "o:--endpoint-url",
            "v:h"
        ]
    );
    assert_eq!(effects(&use_), ["r x", "c h"]);
    assert_eq!(kinds(&use_), []);
    assert_eq!(kinds(&used(text, "aws ec2 -x")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(text, "aws --ids ec2"))[0], UnknownKind::Option);
    assert_eq!(
        kinds(&used(text, "aws ec2 --ids \"$X\"")),
        [UnknownKind::MaybeOption]
    );
}
