//! What command patterns mean, and what is refused.

use super::{
    CommandPart, CommandPattern, EnvironmentPattern, FlagPattern, ProgramPattern, WordPattern, WordPiece,
};
use crate::pattern::PathAnchor;

fn word(text: &str) -> CommandPart {
    CommandPart::Word(WordPattern::exactly(text))
}

fn choice(words: &[&str]) -> CommandPart {
    let words = words.iter().map(|text| WordPattern::exactly(text)).collect();
    CommandPart::Word(WordPattern {
        pieces: vec![WordPiece::Choice(words)],
    })
}

fn rest(text: &str) -> Vec<CommandPart> {
    CommandPattern::parse(text).expect(text).0.rest
}

#[test]
fn words_stars_and_further_words() {
    assert_eq!(rest("git  push ..."), [word("push"), CommandPart::AnyWords]);
    assert_eq!(rest("ls"), []);
    let star = CommandPart::Word(WordPattern {
        pieces: vec![WordPiece::AnyText],
    });
    assert_eq!(rest("git * main"), [star, word("main")]);
    let inside = WordPattern {
        pieces: vec![WordPiece::Text("test:".into()), WordPiece::AnyText],
    };
    assert_eq!(rest("npm run test:*"), [word("run"), CommandPart::Word(inside)]);
}

#[test]
fn alternatives_of_one_word_are_one_word() {
    assert_eq!(
        rest("git (status|log) ..."),
        [choice(&["status", "log"]), CommandPart::AnyWords]
    );
    let WordPiece::Choice(_) = WordPattern::parse("--format=(a|b)")
        .expect("inside a word")
        .0
        .pieces[1]
    else {
        panic!("a choice inside a word");
    };
}

#[test]
fn alternatives_of_several_words_stand_alone() {
    let ways = vec![vec![word("remote"), word("-v")], vec![word("status")]];
    assert_eq!(rest("git (remote -v|status)"), [CommandPart::Choice(ways)]);
    assert!(CommandPattern::parse("git x(remote -v|status)").is_err());
}

#[test]
fn brackets_hold_optional_words() {
    let inner = vec![
        word("--package"),
        CommandPart::Word(WordPattern {
            pieces: vec![WordPiece::AnyText],
        }),
    ];
    assert_eq!(
        rest("cargo test [--package *]"),
        [word("test"), CommandPart::Optional(inner)]
    );
}

#[test]
fn quotes_and_backslashes_keep_characters() {
    assert_eq!(
        rest(r#"echo "a b" '*' \* "$x" """#),
        [word("a b"), word("*"), word("*"), word("$x"), word("")]
    );
    assert_eq!(rest(r#"echo "a\"b""#), [word("a\"b")]);
    assert_eq!(
        rest("git diff main...topic"),
        [word("diff"), word("main...topic")]
    );
}

#[test]
fn programs_are_names_or_files() {
    let programs = |text: &str| CommandPattern::parse(text).expect(text).0.programs;
    assert_eq!(
        programs("git log"),
        [ProgramPattern::Name(WordPattern::exactly("git"))]
    );
    let both = programs("(rg|grep) ...");
    assert_eq!(both.len(), 2);
    let anchor = |text: &str| match programs(text).as_slice() {
        [ProgramPattern::File(path)] => path.anchor,
        other => panic!("{other:?}"),
    };
    assert_eq!(anchor("./run.sh"), PathAnchor::Project);
    assert_eq!(anchor("scripts/run.sh"), PathAnchor::Project);
    assert_eq!(anchor("/bin/ls ..."), PathAnchor::Root);
    assert_eq!(anchor("~/bin/x ..."), PathAnchor::Home);
}

#[test]
fn problems_point_at_their_characters() {
    for (text, start, end) in [
        ("git log | sh", 8, 9),
        ("git log; rm", 7, 8),
        ("git (a|b", 4, 5),
        ("git (a|)", 7, 8),
        ("git [a", 4, 5),
        ("git a)", 5, 6),
        ("git \"a", 4, 5),
        ("git x[1]", 5, 6),
        ("... git", 0, 1),
        ("FOO=1 git", 0, 5),
        ("echo $HOME", 5, 6),
        ("", 0, 0),
        ("git (a|b]", 8, 9),
    ] {
        let problem = CommandPattern::parse(text).expect_err(text);
        assert_eq!(problem.range, start..end, "{text}: {}", problem.message);
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("git {}a{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(CommandPattern::parse(&deep).is_err());
    assert!(CommandPattern::parse("git ((a|b)|(c|d))").is_ok());
}

#[test]
fn a_tilde_word_is_warned_about() {
    let (_, warnings) = CommandPattern::parse("cat ~/x").expect("a pattern");
    assert_eq!(
        warnings.first().map(|warning| warning.code),
        Some("policy::tilde-word")
    );
    assert_eq!(CommandPattern::parse("~/bin/x").expect("a pattern").1, []);
}

#[test]
fn variables_and_flags() {
    let variable = EnvironmentPattern::parse("GIT_*=a*").expect("a pattern").0;
    assert!(variable.value.is_some());
    assert!(EnvironmentPattern::parse("$HOME").is_err());
    let flag = FlagPattern::parse("--format=json").expect("a flag").0;
    assert_eq!(flag.name.literal(), Some("--format"));
    for text in ["force", "-", "--", "-a -b", ""] {
        assert!(FlagPattern::parse(text).is_err(), "{text}");
    }
}
