//! Tables of programs: those that only print, those that reach outside, and those that are refused.

use super::{Language, ProgramEffectKind, analyse_program};
use crate::{Origin, Value};

/// Effects in one line each, as the tables below write them.
fn effects(language: Language, text: &str) -> String {
    match analyse_program(language, text) {
        Ok(effects) => effects
            .iter()
            .map(|effect| {
                assert!(!effect.span.of(text).is_empty(), "span of {effect:?} in `{text}`");
                match &effect.kind {
                    ProgramEffectKind::ReadsFile(path) => format!("read {}", value(path)),
                    ProgramEffectKind::WritesFile(path) => format!("write {}", value(path)),
                    ProgramEffectKind::RunsShell(Some(command)) => format!("shell {command}"),
                    ProgramEffectKind::RunsShell(None) => "shell ?".to_owned(),
                    ProgramEffectKind::Connects(address) => format!("connect {}", value(address)),
                    ProgramEffectKind::ReadsEnvironment => "environment".to_owned(),
                    ProgramEffectKind::LoadsCode(path) => format!("load {}", value(path)),
                    ProgramEffectKind::NamesInput => "name".to_owned(),
                }
            })
            .collect::<Vec<_>>()
            .join(", "),
        Err(error) => {
            assert!(error.offset <= text.len(), "offset of {error:?} in `{text}`");
            "?".to_owned()
        }
    }
}

fn value(value: &Value) -> String {
    if let Value::Known(text) = value {
        text.to_string()
    } else if let Value::Affixed { prefix, suffix } = value {
        format!("{prefix}*{suffix}")
    } else if let Value::Unknown(Origin::Variable | Origin::Bytes | Origin::Input) = value {
        "?".to_owned()
    } else {
        format!("{value:?}")
    }
}

fn check(language: Language, table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(text, expected)| {
            let actual = effects(language, text);
            (actual != *expected).then(|| format!("`{text}`: `{actual}`, not `{expected}`"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sed_scripts_that_only_print() {
    let scripts = [
        "1,5p",
        "$=",
        "$!N;P;D",
        "5q",
        "q5",
        "Q",
        "l 7",
        "=",
        "1d",
        "1d\ns/x/y/",
        "1p;3p",
        "n;d",
        "$!d",
        "2,4!p",
        "s/a/w out/",
        "s/e/w/g",
        "s/foo/bar/",
        "s/a|b/c/",
        "s|/usr/local|/opt|g",
        "s,a\\,b,x,",
        "s/\\/etc/w x/",
        "s/a/b/3gI",
        "s/a/b/ ; p",
        "s/x/\\\nw y/",
        "s/[/]w x/y/",
        "s/[^/]*$//",
        "s/[[:space:]]*$//",
        "s/[]x]/y/",
        "s_a_e_",
        "s#e#w#",
        "s;a;e;",
        "y/abc/xyz/",
        "y/[/]/",
        "/source: \"tool\",/{/origin:/!p;}",
        "/foo/,/bar/p",
        "/^#/d",
        "\\,a,p",
        "\\|w x|p",
        "0~2p",
        "1~3d",
        "1,+2p",
        "1,~4p",
        "0,/x/d",
        "/x/IMp",
        "/x/I,/y/p",
        "1 , 2 p",
        "1 ! p",
        "{p;p}",
        "1{\np\n}",
        "{{p}}",
        "{;p;};p",
        "/a/{b;};x",
        ":a;N;$!ba;s/\\n/ /g",
        ": a\nb a",
        "t;p",
        "ba\n:a",
        "a w out",
        "a\\\nw out",
        "a\\\nw out\\\nw out",
        "i\\  e ls",
        "c w",
        "$a\\\nend",
        "1{a w\n}",
        "#n",
        "# w out",
        "p # w out",
        "p#e",
        "r /dev/stdin",
        "w /dev/stdout",
        "s/a/b/w /dev/stderr",
        "z;x;G;H;h;g;F",
        "v 4.2",
        "",
    ];
    let table: Vec<(&str, &str)> = scripts.into_iter().map(|script| (script, "")).collect();
    check(Language::Sed, &table);
}

#[test]
fn sed_commands_that_reach_outside() {
    check(
        Language::Sed,
        &[
            ("1e touch x", "shell touch x"),
            ("1!e touch x", "shell touch x"),
            ("0~2e cmd", "shell cmd"),
            ("\\,a,e cmd", "shell cmd"),
            ("$e cmd; p", "shell cmd; p"),
            ("e", "shell ?"),
            ("e a\\b", "shell ?"),
            ("1{p;e touch x\n}", "shell touch x"),
            ("s/.*/touch x/e", "shell ?"),
            ("s/a/b/ge;", "shell ?"),
            ("s/a/b/ew out", "write out, shell ?"),
            ("s/a/x/;# note\ne touch x", "shell touch x"),
            ("a\\\ntext\ne ls", "shell ls"),
            ("a text\\\\\nw out", "write out"),
            ("s/x/[/w out", "write out"),
            ("w out", "write out"),
            ("W out", "write out"),
            ("1w out;p", "write out;p"),
            ("s/a/b/w out", "write out"),
            ("s/a/b/wout", "write out"),
            ("s/a/b/g w out", "write out"),
            ("s|a|b|w out", "write out"),
            ("s/[^/]*/x/w out", "write out"),
            ("s/[[:alpha:]/]/x/w out", "?"),
            ("r .env", "read .env"),
            ("R a b", "read a b"),
            ("$r x}", "read x}"),
            ("r x\nw y", "read x, write y"),
            ("w /dev/stdoutx", "write /dev/stdoutx"),
            ("w a\\b", "write ?"),
            ("/x/w out", "write out"),
            ("/[]/]/w out", "?"),
        ],
    );
}

#[test]
fn sed_scripts_that_are_refused() {
    let scripts = [
        "s/a/b",
        "s/a",
        "s/a/b/k",
        "s\\a\\b\\",
        "sxaxbx",
        "s[a[b[",
        "p p",
        "}",
        "{p",
        "1,p",
        "1",
        "0p",
        "k",
        "L",
        "w",
        "r",
        "a",
        "a\\",
        "a\\ \nx",
        "a\\\\\nx",
        ":",
        "1:a",
        "1#x",
        "1}",
        "y/a/b/g",
        "s/[/x/",
        "s/[\\]/x/w out/]/",
        "p\rw x",
        "s/a/b\nc/",
        "/a\nb/p",
        "1,",
        "1~p",
        "1,+p",
    ];
    let table: Vec<(&str, &str)> = scripts.into_iter().map(|script| (script, "?")).collect();
    check(Language::Sed, &table);
}

#[test]
fn awk_programs_that_only_print() {
    let programs = [
        "{print $1}",
        "NR>=300 && NR<=430",
        "NR==n",
        "{printf \"%s\\n\", $0}",
        "{print $1 \" | \" $2}",
        "1",
        "",
        "$3 > 10 { n++ } END { print n }",
        "{ print (a > b) }",
        "{ print(a > b) }",
        "$1 > $2",
        "{ if ($1 > 2) print }",
        "{ if (x > 2) { print \"> out\" } }",
        "{ print a[x > 1] }",
        "{ x = a > b; print x }",
        "/system(/ { print }",
        "/a|b/",
        "{ print \"system(1)\" } # system(\"x\")",
        "{ gsub(/[^/]*$/, \"\"); print }",
        "{ print $1 / $2 / $3 }",
        "{ n += $1 } END { print n / NR }",
        "{ print $NF / 2 \" /system(x)/ \" }",
        "!seen[$0]++",
        "BEGIN { FS = \":\" } { print $1 }",
        "BEGIN{while((getline l)>0) n++; print n}",
        "{ getline; print }",
        "{ getline x; if (a<b) print }",
        "{ while ((getline line < \"-\") > 0) print line }",
        "{ print > \"/dev/stderr\" }",
        "{ print \"x\" > \"/dev/stdout\"; next }",
        "function f(x) { return x > 1 }\n{ print f($1) }",
        "{ print length($0), substr($0, 1, 3) }",
        "{ print length }",
        "/a/,/b/",
        "{ a[$1] = a[$1] \",\" $2 }",
        "NR > 1 {\n  print $1,\n    $2\n}",
        "{ print $1 } ; { print $2 }",
        "{ for (i = 1; i > 0; i--) print i }",
        "{ print x ? y : z }",
        "$1 ~ /^[0-9]+$/ && !/x/",
        "{ split($0, a, /,/); print a[1] }",
        "{ close(\"x\") }",
        "{ print toupper(substr($0,1,1)) tolower(substr($0,2)) }",
        "NF { $1=$1; print }",
        "{ print 1e3, .5, 2^3 }",
        "{ nextfile }",
        "BEGIN { PROCINFO[\"sorted_in\"] = \"@ind_str_asc\" } { print }",
        "{ print $1 \\\n , $2 }",
        "FNR==NR{a[$1];next} ($1 in a)",
        "{ print a[1] /2/ 3 }",
    ];
    let table: Vec<(&str, &str)> = programs.into_iter().map(|program| (program, "")).collect();
    check(Language::Awk, &table);
}

#[test]
fn awk_constructs_that_reach_outside() {
    check(
        Language::Awk,
        &[
            ("BEGIN{system(\"touch x\")}", "shell touch x"),
            ("BEGIN { system (\"a\" b) }", "shell ?"),
            ("{ system($0) }", "shell ?"),
            ("{print $1 >> \"out\"}", "write out"),
            ("{print > \"x\"}", "write x"),
            ("{print(1)(2) > \"x\"}", "write x"),
            ("{print a, b > \"x\"}", "write x"),
            ("{print a,\n b > \"x\"}", "write x"),
            ("{print a ?\n b : c > \"x\"}", "write x"),
            ("{print a[i > j] > \"x\"}", "write x"),
            ("{printf(\"%s\", $1) > $2}", "write ?"),
            ("{print > $1 \".txt\"}", "write ?"),
            ("{print > \"d/\" $1 \".txt\"}", "write d/*"),
            ("{print > \"d/\" (x)}", "write ?"),
            ("{print > \"a\\x62\"}", "write ?"),
            ("{ if (x) print > \"y\"; else print }", "write y"),
            ("{print | \"sort -u\"}", "shell sort -u"),
            ("{print | \"sort \" f}", "shell ?"),
            ("{print \"x\" | cmd}", "shell ?"),
            ("BEGIN{\"date\" | getline}", "shell date"),
            ("BEGIN{\"date\" | getline d; print d}", "shell date"),
            ("BEGIN{while ((\"ls\" | getline f) > 0) print f}", "shell ls"),
            ("BEGIN{\"da\" \"te\" | getline}", "shell ?"),
            ("BEGIN{cmd | getline}", "shell ?"),
            (
                "BEGIN{while((getline l < \"/etc/passwd\")>0) print l}",
                "read /etc/passwd",
            ),
            ("BEGIN{getline < \"a\"}", "read a"),
            ("BEGIN{getline x[1] < f}", "read ?"),
            ("BEGIN{getline $1 < \"f\" \"g\"}", "read f*"),
            ("BEGIN{print \"x\" |& \"cmd\"}", "shell cmd"),
            (
                "BEGIN{s = \"/inet/tcp/0/h/80\"; print |& s}",
                "shell ?, connect ?",
            ),
            ("BEGIN{print |& \"/inet/tcp/0/h/80\"}", "connect /inet/tcp/0/h/80"),
            ("@load \"readdir\"; BEGIN{}", "load readdir"),
            ("@include \"lib.awk\"\n{ print }", "load lib.awk"),
            ("BEGIN{f=\"system\"; @f(\"touch x\")}", "shell ?"),
            ("BEGIN{print ENVIRON[\"HOME\"]}", "environment"),
            ("BEGIN{ARGV[1]=\"/etc/passwd\"; ARGC=2} {print}", "read ?, read ?"),
            ("{ a = 4 / 2; system(\"x\") ; b = 1 / 3 }", "shell x"),
            ("{ print $1/2; system(\"x\"); print $2/2 }", "shell x"),
            ("/[/]/ { system(\"x\") }", "shell x"),
            ("/\\// { system(\"x\") }", "shell x"),
            ("{ print \"\\\"\" } { system(\"x\") }", "shell x"),
            ("{ print \\\n > \"x\" }", "write x"),
        ],
    );
}

#[test]
fn awk_programs_that_are_refused() {
    let programs = [
        "{ print",
        "}",
        "{ print ) }",
        "{ print \"x }",
        "{ print 'x' }",
        "/abc",
        "{ f(1) }",
        "{ extension(\"x\") }",
        "{ print x++ /2/ 3 }",
        "{ if (x) /re/ }",
        "{ getline /x/ }",
        "{ print \"a\\\nb\" }",
        "{ print 1esystem(1) }",
        "{ print 0x1 }",
        "@namespace \"x\"",
        "{ awk::system(1) }",
        "{ print SYMTAB[\"x\"] }",
        "/[]/]/",
        "/[[:alpha:]/]/",
        "{ a >> b }",
        "{ print } # x \\\n{ print }",
        "{ print }\r",
        "{ a & b }",
        "{ print @ }",
        "\\ x",
    ];
    let table: Vec<(&str, &str)> = programs.into_iter().map(|program| (program, "?")).collect();
    check(Language::Awk, &table);
}

#[test]
fn jq_filters_that_only_compute() {
    let filters = [
        ".",
        ".scripts",
        ".system",
        ".a.env",
        ".[\"env\"]",
        "\"system env\"",
        ".scripts[\"test\"] // \"none\"",
        ".name == $n",
        ".items[] | .name",
        ".comments[] | .body",
        "{system: 1, env: 2}",
        "{env}",
        "{env, system}",
        "{\"a\": 1, input_filename: .x}",
        "map(select(.a > 1)) | length",
        "to_entries[] | \"\\(.key)=\\(.value)\"",
        "\"a \\(.x | \"n \\(.y)\") b\"",
        "@sh \"x \\(.a)\"",
        "@base64d",
        "if .a then .b else .c end",
        "[.[] | tostring]",
        "{a: (if . then 1 else 2 end), b}",
        "def f(g; $x): g | . + $x; f(.a; 1)",
        "def f: def g: 1; g; f",
        "reduce .[] as $x (0; . + $x)",
        ". as {a: $x, b: [$y]} | $x + $y",
        ".a? // empty",
        "try error(\"x\") catch .",
        "label $out | foreach .[] as $x (0; .+1; if . > 2 then ., break $out else . end)",
        ".. | numbers",
        "1e3, .5, -1",
        "# env\n.a",
        "limit(3; inputs)",
        "input",
        "debug | stderr",
        "halt_error",
        "getpath([\"env\"])",
        "$__loc__",
        "[paths(type == \"number\")]",
        "ascii_downcase | test(\"x\"; \"i\")",
        "sort_by(.a) | group_by(.b) | unique",
        "pick(.a) | abs | ltrimstr(\"x\") | trim",
        "input_line_number",
        ".foo | not",
        "",
        "{(.a): .b}",
        "{$n, \"x\\(.y)\": 1}",
    ];
    let table: Vec<(&str, &str)> = filters.into_iter().map(|filter| (filter, "")).collect();
    check(Language::Jq, &table);
}

#[test]
fn jq_calls_that_reach_outside() {
    check(
        Language::Jq,
        &[
            ("env", "environment"),
            ("env.PATH", "environment"),
            ("$ENV", "environment"),
            ("$ ENV.PATH", "environment"),
            ("{a: env}", "environment"),
            ("{(env): 1}", "environment"),
            ("{$ENV}", "environment"),
            ("{x: if true then 1, env else 2 end}", "environment"),
            ("\"x \\(env)\"", "environment"),
            ("\"a \\(\"b \\(env)\")\"", "environment"),
            ("{\"k\\(env)\": 1}", "environment"),
            (".a,env", "environment"),
            (".|env", "environment"),
            ("[.a]|.[env|length]", "environment"),
            ("input_filename", "name"),
            ("def f: system(\"touch x\"); f", "shell ?"),
            ("system(\"x\")", "shell ?"),
            ("import \"/tmp/d\" as $d; $d", "load /tmp/d"),
            ("include \"x\"; .", "load x"),
            ("\"m\" | modulemeta", "load ?"),
            ("get_search_list", "load ?"),
            ("# note\nenv", "environment"),
        ],
    );
}

#[test]
fn jq_filters_that_are_refused() {
    let filters = [
        "foo",
        "nosuch(1)",
        "{",
        "}",
        "[.a)",
        "\"x",
        "\"\\(.a\"",
        "@nosuch",
        "if . then 1",
        "end",
        "'x'",
        "# x \\\nenv",
        "$",
        "\"\\x\"",
        "1env",
        "{a: . as $x | 1, env}",
        "d::f",
        ".a & .b",
        "\"a\\q\"",
    ];
    let table: Vec<(&str, &str)> = filters.into_iter().map(|filter| (filter, "?")).collect();
    check(Language::Jq, &table);
}

#[test]
fn languages_are_known_by_their_names() {
    for language in Language::ALL {
        assert_eq!(language.name().parse(), Ok(*language));
    }
    assert_eq!(
        "perl".parse::<Language>().map_err(|error| error.to_string()),
        Err("no analyser for the language `perl`".to_owned())
    );
}

mod properties {
    use proptest::prelude::{any, proptest};
    use proptest::strategy::Strategy;

    use super::super::{Language, analyse_program};

    fn pieces(language: Language) -> Vec<&'static str> {
        match language {
            Language::Sed => vec![
                "s/", "/", "a", "\\", "\n", "[", "]", "w out", "e x", "p", ";", "{", "}", " ", "é", "1,2",
                "!", "$", "y|",
            ],
            Language::Awk => vec![
                "print ",
                "system(\"x\")",
                "/",
                "\"",
                "\\",
                "\n",
                "[",
                "]",
                "(",
                ")",
                "{",
                "}",
                ">",
                "|",
                "getline ",
                "x",
                "1",
                "é",
                ",",
                "#",
            ],
            Language::Jq => vec![
                "\"", "\\(", ")", "(", "env", ".a", "{", "}", ":", ",", "$", "if ", " end", "é", "#", "\n",
                "def f: ", ";",
            ],
        }
    }

    proptest! {
        #[test]
        fn any_text_is_answered_with_spans_inside(text in any::<String>()) {
            for language in Language::ALL {
                answer(*language, &text);
            }
        }

        #[test]
        fn texts_of_the_language_are_answered_with_spans_inside(
            choices in proptest::collection::vec(any::<proptest::sample::Index>(), 0..24).no_shrink(),
        ) {
            for language in Language::ALL {
                let pieces = pieces(*language);
                let text: String = choices.iter().map(|choice| *choice.get(&pieces)).collect();
                answer(*language, &text);
            }
        }
    }

    fn answer(language: Language, text: &str) {
        match analyse_program(language, text) {
            Ok(effects) => {
                for effect in effects {
                    let (start, end) = (effect.span.start as usize, effect.span.end as usize);
                    assert!(start <= end && text.get(start..end).is_some(), "{effect:?}");
                }
            }
            Err(error) => assert!(error.offset <= text.len(), "{error:?}"),
        }
    }
}
