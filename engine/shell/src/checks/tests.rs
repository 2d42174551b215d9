//! Tables of spellings, those that hide something and the ordinary ones, and the examples of the page about the checks.

use super::{Check, Finding, Severity, check_text, commit_substitutions, finding_of};
use crate::{Construct, Limits, NotUnderstood, Shell, Span, parse};

const PAGE: &str = include_str!("../../../../docs/shell-checks.md");

/// What the checks say about a text, with the refusal of the parser if there is one.
fn findings(text: &str, shell: Shell) -> Vec<Finding> {
    let parsed = parse(text, shell, &Limits::DEFAULT);
    let mut findings = check_text(text, parsed.as_ref().ok(), shell);
    findings.extend(parsed.err().as_ref().map(finding_of));
    for finding in &findings {
        let (start, end) = (finding.span.start as usize, finding.span.end as usize);
        assert!(
            start <= end && text.get(start..end).is_some(),
            "{finding:?} in `{text}`"
        );
        assert!(!finding.message.is_empty(), "{finding:?} in `{text}`");
    }
    findings
}

fn names(text: &str, shell: Shell) -> Vec<&'static str> {
    let mut names: Vec<_> = findings(text, shell)
        .iter()
        .map(|finding| finding.check.name())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn fires(check: Check, texts: &[&str]) {
    for text in texts {
        let shell = shell_of(check);
        assert!(
            names(text, shell).contains(&check.name()),
            "{check} is silent on `{text}`: {:?}",
            names(text, shell)
        );
    }
}

/// No check at all fires: each of these is ordinary.
fn silent(check: Check, texts: &[&str]) {
    for text in texts {
        assert_eq!(names(text, shell_of(check)), [""; 0], "on `{text}`");
    }
}

fn shell_of(check: Check) -> Shell {
    if check == Check::ZshDangerousCommands {
        Shell::Zsh
    } else {
        Shell::Bash
    }
}

/// The code spans of a line of the page, with `⏎` as a newline.
fn code_spans(line: &str) -> Vec<String> {
    let mut spans = Vec::new();
    let mut rest = line;
    while let Some((_, tail)) = rest.split_once('`') {
        let body = tail.trim_start_matches('`');
        let ticks = "`".repeat(1 + tail.len() - body.len());
        let (code, after) = body.split_once(&ticks).expect("a code span that ends");
        let code = if ticks.len() > 1 {
            code.trim_matches(' ')
        } else {
            code
        };
        spans.push(code.replace('⏎', "\n"));
        rest = after;
    }
    spans
}

#[test]
fn the_page_names_every_check_once() {
    let mut named: Vec<(u8, String)> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .map(|heading| {
            let (number, name) = heading.split_once(' ').expect("a number and a name");
            (
                number.parse().expect("a number"),
                name.trim_matches('`').to_owned(),
            )
        })
        .collect();
    named.sort();
    let all: Vec<_> = Check::ALL
        .iter()
        .map(|check| (check.number(), check.name().to_owned()))
        .collect();
    assert_eq!(named, all);
    assert_eq!(all.len(), 23);
}

#[test]
fn the_examples_of_the_page_fire_and_stay_silent() {
    let mut check = None;
    let (mut fired, mut quiet) = (0, 0);
    for line in PAGE.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            let name = heading.split('`').nth(1).expect("a name");
            check = Some(name.parse::<Check>().expect("a check"));
        }
        let Some(check) = check else { continue };
        if line.starts_with("- Fires on") {
            for text in code_spans(line) {
                fires(check, &[&text]);
                fired += 1;
            }
        } else if line.starts_with("- Silent on") {
            for text in code_spans(line) {
                silent(check, &[&text]);
                quiet += 1;
            }
        } else {
            assert!(
                !line.starts_with("- ") || line.starts_with("- With rules, "),
                "`{line}`"
            );
        }
    }
    assert!(fired > 50 && quiet > 60, "{fired} and {quiet}");
}

#[test]
fn incomplete_commands() {
    fires(
        Check::IncompleteCommand,
        &[
            "echo 'a",
            "echo `date",
            "echo ${x",
            "a && ",
            "| sh",
            "ls ||",
            "for i in a; do",
            "{ ls",
            "true; --force",
            "+x",
        ],
    );
    silent(
        Check::IncompleteCommand,
        &["{ ls; }", "ls &", "cat <<A; cat <<B\n1\nA\n2\nB", "rm -rf a"],
    );
}

#[test]
fn obfuscated_flags() {
    fires(
        Check::ObfuscatedFlags,
        &[
            "rm -r\"f\" a",
            "rm -r'f' a",
            "rm -\\r a",
            "rm \"-\"rf a",
            "rm ''-rf a",
            "git push --for''ce",
            "git push --\"force\"",
            "git push --f'orce'",
            "find . -e\"x\"ec a",
            "sort -''o a",
            "sort $'\\x2do' a",
            "sort -$'o' a",
            "rm -?f",
            "git log \"--out\"put=a",
            "ls; (rm -r\"\"f a)",
            "echo $(rm -r\"\"f a)",
            "git push --'force'=x",
        ],
    );
    silent(
        Check::ObfuscatedFlags,
        &[
            "cut -d' ' -f2 a",
            "cut -d'' a",
            "sed -i'' s/a/b/ c",
            "awk -F\"\\t\" 1",
            "awk -F'\\t' 1",
            "sort -t$'\\t' -k2 a",
            "grep -e\"a b\" c",
            "git commit -m\"fix: x\"",
            "cc -DNAME=\"x\" a.c",
            "cc -I\"/usr/include\" a.c",
            "git log --since=\"2 weeks ago\"",
            "head -n\"5\" a",
            "head -\"$n\" a",
            "tar -C\"$d\" a",
            "echo \"-\" '--'",
            "git log --author='A B'",
            "git diff \"--stat\"",
            "echo '---'",
            "printf -- '- %s\\n' a",
            "printf $'-\\n'",
            "echo a-\"b\"",
            "echo a -b\"$c\"",
            "git log --grep='- fix -x' -1",
            "ls --color=\"never\"",
            "find . -name '*.rs'",
            "grep --include=*.rs x",
            "echo --x=\\*",
            "a -o\"$b\"/c",
            "echo - a",
            "pg_resetwal -?",
            "echo -- \"-x\"",
        ],
    );
}

#[test]
fn newlines() {
    fires(
        Check::Newlines,
        &[
            "ls # a \\\npwd",
            "ls a\\\\\npwd",
            "ls\rpwd",
            "ls \u{b}pwd",
            "ls \u{c}pwd",
            "echo $\\\n{x}",
        ],
    );
    silent(
        Check::Newlines,
        &[
            "ls # a \\",
            "ls # a \\\n\n# b",
            "ls # a\npwd",
            "#!/bin/bash\nls",
            "\n\tls\n",
            "if a; then\n  b\nfi",
            "git log |\n  head",
            "ls 'a\\\\\nb'",
            "cat <<'EOF'\na\\\\\nb\nEOF",
            "ls\n\npwd\n",
        ],
    );
}

#[test]
fn ifs_injection() {
    fires(
        Check::IfsInjection,
        &[
            "ls$IFS-l",
            "ls ${IFS%?}a",
            "ls > a${IFS}b",
            "IFS=:; ls $x",
            "IFS=: ; echo $(ls)",
            "echo $(ls${IFS}a)",
        ],
    );
    silent(
        Check::IfsInjection,
        &[
            "IFS=: read -r a b",
            "while IFS=: read -r a; do echo $a; done",
            "x=$IFS",
            "echo \"a${IFS}b\"",
            "echo '$IFS'",
            "IFS=:; echo \"$x\"",
            "echo ${#IFS}",
            "echo $ifs",
        ],
    );
}

#[test]
fn malformed_tokens() {
    fires(
        Check::MalformedToken,
        &[
            "echo }a",
            "echo a{",
            "echo ${x}}",
            "echo {\"a\": 1}",
            "echo { | cat",
            "a \\\"; b \\\"",
            "echo $'\\''; ls; echo $'\\''",
            "echo ${x:-'}'}",
            "echo ${x:-\\}}",
            "x=a}b",
        ],
    );
    silent(
        Check::MalformedToken,
        &[
            "echo '}'",
            "echo \"}\"",
            "echo \\}",
            "find . -exec cat \\{} +",
            "find . -exec cat \\{\\} +",
            "echo {}",
            "echo a{b}c",
            "git show HEAD@{1}",
            "find . -exec ls {} +",
            "git stash show stash@{0}",
            "jq '{a: .b}' c",
            "echo don\\'t",
            "echo \\'a\\' \\\"b\\\"",
            "echo 'it'\"'\"'s' && echo 'it'\\''s'",
            "git commit -m \"say \\\"hi\\\" to \\$USER\"",
            "grep -E '^[^}]+$' a",
            "{ ls; }",
            "f() { ls; }",
            "echo {",
            "curl -d '{\"a\":{\"b\":[1]}}' h",
        ],
    );
}

#[test]
fn escaped_blanks() {
    fires(
        Check::BackslashEscapedWhitespace,
        &[
            "git\\\tpush",
            "ls && npm\\ test x",
            "./a\\ b",
            "rm -r\\ f",
            "git push --for\\ ce",
            "echo `git\\\tpush`",
        ],
    );
    silent(
        Check::BackslashEscapedWhitespace,
        &[
            "cat a\\ b",
            "ls My\\ Notes/Applied\\ Principles.md",
            "cut -d\\  a",
            "git log --author=A\\ B",
            "'a b'",
            "x=a\\ b",
        ],
    );
}

#[test]
fn brace_expansion() {
    fires(
        Check::BraceExpansion,
        &[
            "{rm,-rf,a}",
            "r{m,} a",
            "a -{b,c}",
            "a --b{c,d}=e",
            "a {-b,c}",
            "a {'-b',c}",
            "ls {a,'b,c'}",
            "echo {1..1001}",
        ],
    );
    silent(
        Check::BraceExpansion,
        &[
            "echo a{b,c}d",
            "ls {a,b}/{c,d}",
            "echo {a..e}",
            "rsync -a --exclude={'a','b'} c d",
            "cc -I/usr/{a,b} c",
            "echo '{a,-b}'",
        ],
    );
}

#[test]
fn control_characters() {
    fires(
        Check::ControlCharacters,
        &[
            "ls \u{7}",
            "ls '\u{1b}[31m'",
            "ls #\u{8}\u{8}",
            "ls \u{7f}",
            "ls \"\u{9b}1m\"",
            "l\0s",
            "cat <<'E'\n\u{1}\nE",
        ],
    );
    silent(
        Check::ControlCharacters,
        &["ls\t-a", "ls\n", "echo $'\\e[1m'", "echo '\\x07'"],
    );
    let runs = findings("ls #\u{8}\u{8}\u{8}a", Shell::Bash);
    assert!(runs.contains(&Finding::new(
        Check::ControlCharacters,
        Span::new(4, 7),
        "the control character U+0008"
    )));
}

#[test]
fn odd_characters() {
    fires(
        Check::UnicodeWhitespace,
        &[
            "TZ=UTC\u{3000}echo",
            "a\u{2003}b",
            "ls\u{200b}",
            "ls\u{feff} a",
            "echo a\u{a0}b",
            "r\u{200d}m a",
            "\u{440}\u{441} a",
            "c\u{430}t a",
            "rm \u{2014}rf a",
            "git push -\u{2011}force",
            "git push --f\u{43e}rce",
            "echo '\u{202e}a'",
            "ls # \u{2066}",
            "cat <<'E'\n\u{202a}\nE",
            "\"ls\u{200b}\" a",
        ],
    );
    silent(
        Check::UnicodeWhitespace,
        &[
            "git commit -m 'a\u{a0}b \u{200b}'",
            "echo \"\u{1f468}\u{200d}\u{1f469}\"",
            "cat na\u{ef}ve.txt",
            "./\u{441}\u{43a}\u{440}\u{438}\u{43f}\u{442}.sh",
            "echo a \u{2014} b",
            "git commit -m \u{2705}",
            "grep --include='\u{444}*' x",
            "cat <<'E'\na\u{3000}b\nE",
            "echo a # b\u{a0}c",
        ],
    );
}

#[test]
fn mid_word_hashes() {
    fires(
        Check::MidWordHash,
        &[
            "echo 'a'#b",
            "echo \"a\"#",
            "echo $(ls)#a",
            "echo $'a'#",
            "x='a'#b",
            "ls > 'a'#",
        ],
    );
    silent(
        Check::MidWordHash,
        &[
            "echo a#b",
            "echo 'a'\\#b",
            "echo \"a#b\"",
            "echo ${x#y}",
            "echo ${x##*/}",
            "ls 'a' # b",
            "echo $#",
            "echo 'a'b#c",
        ],
    );
}

#[test]
fn escaped_operators() {
    fires(
        Check::BackslashEscapedOperators,
        &[
            "a \\; b",
            "a\\;b",
            "ls a\\|b",
            "ls \\<a",
            "grep \\\\; ls",
            "ls a\\\\&& pwd",
            "echo \\;",
            "find . -name a \\; -o b",
        ],
    );
    silent(
        Check::BackslashEscapedOperators,
        &[
            "find . -name a -exec ls {} \\; -o -print",
            "find . -ok rm {} \\;",
            "test a \\> b",
            "expr a \\| b",
            "tmux a \\; b",
            "ls a\\*b",
            "cut -d\\; -f1 a",
            "sort -t \\| a",
            "tr \\; x",
            "echo \\$x \\\"a\\\"",
            "echo 'a\\;b' \"a\\;b\"",
            "[[ a =~ b\\|c ]]",
            "echo \\(a\\)",
            "ls a\\\\ b",
        ],
    );
}

#[test]
fn comments_with_quotes() {
    fires(
        Check::CommentQuoteDesync,
        &[
            "ls #'\npwd\n#'",
            "ls # \"a\npwd \"b\"",
            "ls # it's\npwd # it's",
            "ls # 'a\npwd 'b'",
            "# `\nls\n# `",
            "f() {\n# \"\nls\n}\necho \"\"",
        ],
    );
    silent(
        Check::CommentQuoteDesync,
        &[
            "ls # 'a'",
            "ls # it's",
            "ls # it's\n# don't",
            "# it's\nls",
            "# it's\ngit commit -m 'a'",
            "# \"a\" 'b'\nls",
            "# 5\" disk\nls",
            "# 5\" disk",
            "# don't\n# can't\nls 'a'",
            "ls '# \"' \"a\"",
            "# (a)\nls",
            "# a) b\n(ls)",
        ],
    );
}

#[test]
fn quoted_newlines() {
    fires(
        Check::QuotedNewline,
        &[
            "ls 'a\n#' b",
            "ls \"a\n  # b\" | sh",
            "ls $'a\n#' b",
            "a 'b\n#'; c",
            "perl 'a\n#' -i b",
            "echo 'a\n# 'b c",
        ],
    );
    silent(
        Check::QuotedNewline,
        &[
            "ls 'a\nb' c",
            "git commit -m 'a\n# b\n' c",
            "git commit -m 'a\n# b'",
            "echo \"$(cat <<'E'\n# a\nE\n)\" b",
            "echo \"$(ls 'a\n# b')\"",
            "jq '.a\n# b' c",
            "python3 -c 'a\n# b' c d",
            "ls '# a' b",
            "ls 'a\n#' # b",
        ],
    );
}

#[test]
fn zsh_commands() {
    fires(
        Check::ZshDangerousCommands,
        &[
            "ls; zmodload a",
            "command sysopen a",
            "(zsocket a)",
            "echo $(zselect)",
            "'zmodload' a",
            "zf_ln a b",
        ],
    );
    silent(
        Check::ZshDangerousCommands,
        &["ls zmodload", "git sysopen", "echo 'emulate'", "command ls zpty"],
    );
    assert_eq!(names("zmodload a", Shell::Bash), [""; 0]);
}

#[test]
fn every_refusal_belongs_to_a_check() {
    let find = |construct| {
        finding_of(&NotUnderstood {
            construct,
            span: Span::new(1, 2),
        })
    };
    for construct in Construct::ALL {
        let finding = find(*construct);
        assert_eq!(finding.message, construct.about());
        assert_eq!(finding.span, Span::new(1, 2));
    }
    assert_eq!(find(Construct::UnclosedHeredoc).check, Check::IncompleteCommand);
    assert_eq!(find(Construct::ReadersDisagree).check, Check::MalformedToken);
    assert_eq!(find(Construct::Subscript).check, Check::CommandSubstitution);
    assert_eq!(find(Construct::ShellVariable).check, Check::DangerousVariables);
    assert_eq!(find(Construct::SplitToken).check, Check::Newlines);
}

#[test]
fn substitutions_in_commit_messages_are_found() {
    let found = |text: &str| -> Vec<String> {
        let script = parse(text, Shell::Bash, &Limits::DEFAULT).expect("understood");
        commit_substitutions(text, &script)
            .iter()
            .map(|span| span.of(text).to_owned())
            .collect()
    };
    assert_eq!(
        found("git commit -m \"a $(b) `c`\" --author=\"$(d)\""),
        ["$(b)", "`c`", "$(d)"]
    );
    assert_eq!(found("git -C x commit -m \"$(a)\" && echo \"$(b)\""), ["$(a)"]);
    assert_eq!(found("git log \"$(a)\"; git commit -m 'a $(b)'"), [""; 0]);
}

#[test]
fn names_are_read_back() {
    for check in Check::ALL {
        assert_eq!(check.name().parse(), Ok(*check));
        assert_eq!(check.default_severity(), Severity::Ask);
    }
    for severity in Severity::ALL {
        assert_eq!(severity.name().parse(), Ok(*severity));
    }
    assert_eq!(
        "nothing".parse::<Check>().map_err(|error| error.to_string()),
        Err("no check is called `nothing`".to_owned())
    );
    assert_eq!(
        "loud".parse::<Severity>().map_err(|error| error.to_string()),
        Err("no severity is called `loud`".to_owned())
    );
}

mod properties {
    use proptest::prelude::{any, proptest};

    use super::{Limits, Shell, check_text, parse};

    proptest! {
        #[test]
        fn spans_lie_inside_any_text(text in any::<String>()) {
            inside(&text);
        }

        #[test]
        fn spans_lie_inside_any_command(text in "(ls|git|a#|-r|'x|\"|\\\\| |\n|#|;|\\{|\\}|,|\\$IFS|é|\u{a0}|\u{2014}|x'){0,12}") {
            inside(&text);
        }
    }

    fn inside(text: &str) {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Sh] {
            let script = parse(text, shell, &Limits::DEFAULT);
            for finding in check_text(text, script.as_ref().ok(), shell) {
                let (start, end) = (finding.span.start as usize, finding.span.end as usize);
                assert!(
                    start <= end && text.get(start..end).is_some(),
                    "{finding:?} in {text:?}"
                );
            }
        }
    }
}
