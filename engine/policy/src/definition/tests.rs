//! Facts about applying definitions, each with a small definition of its own.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test picks the effects it is about"
)]

use engine_shell::{Count, Field, Origin, Span, Value};

use super::apply::{ApplyContext, apply};
use super::example::fields;
use super::read_definitions;
use crate::effect::{EffectKind, EffectSource, Nested, UnknownKind, Use, WordKind};

fn used_with(definition: &str, words: &[Field], context: &ApplyContext) -> Use {
    let (definitions, problems) = read_definitions(definition);
    assert_eq!(problems, []);
    apply(&definitions[0], words, context)
}

fn used(definition: &str, command: &str) -> Use {
    used_with(definition, &fields(command), &ApplyContext::default())
}

fn shown(value: &Value) -> String {
    value.known().map_or_else(|| format!("{value:?}"), str::to_owned)
}

/// Every effect in a short form, in order.
fn effects(used: &Use) -> Vec<String> {
    used.effects
        .iter()
        .map(|effect| match &effect.kind {
            EffectKind::Reads(path) => format!("r{} {}", if path.tree { "*" } else { "" }, shown(&path.path)),
            EffectKind::Writes(path) => {
                format!("w{} {}", if path.tree { "*" } else { "" }, shown(&path.path))
            }
            EffectKind::Deletes(path) => {
                format!("d{} {}", if path.tree { "*" } else { "" }, shown(&path.path))
            }
            EffectKind::Connects(Some(host)) => format!("c {}", shown(host)),
            EffectKind::SetsEnv { name, value } => format!("{}={}", shown(name), shown(value)),
            other => format!("{other:?}"),
        })
        .collect()
}

fn kinds(used: &Use) -> Vec<UnknownKind> {
    used.unknowns.iter().map(|unknown| unknown.kind).collect()
}

fn normal(used: &Use) -> Vec<String> {
    used.words
        .iter()
        .map(|word| {
            let mark = match word.kind {
                WordKind::Command => "",
                WordKind::Option => "o:",
                WordKind::OptionValue => "v:",
                WordKind::EndOfOptions => "e:",
                WordKind::Operand => "a:",
            };
            format!("{mark}{}", shown(&word.field.value))
        })
        .collect()
}

fn argvs(used: &Use) -> Vec<Vec<String>> {
    used.nested
        .iter()
        .map(|nested| match nested {
            Nested::Argv { words, .. } => words.iter().map(|word| shown(&word.value)).collect(),
            Nested::Shell { text, .. } => vec!["sh".to_owned(), shown(&text.value)],
        })
        .collect()
}

const SORT: &str = r#"
bin "sort"
source "test"
options abbreviations=#true numbers=#true
flags "-u --unique" "-n" "-r --reverse" "-k --key <key>" "--reuse" "-i [suffix]"
flag "-o --output <file>" { writes }
flag "--help" terminal=#true
arg "[file]..." { reads }
complete
"#;

#[test]
fn short_options_bundle_and_attach_their_values() {
    let use_ = used(SORT, "sort -uo out in");
    assert_eq!(effects(&use_), ["w out", "r in"]);
    assert_eq!(normal(&use_), ["sort", "o:-u", "o:-o", "v:out", "a:in"]);
    assert_eq!(effects(&used(SORT, "sort -uoout")), ["w out"]);
    assert_eq!(effects(&used(SORT, "sort in -o out")), ["w out", "r in"]);
    assert_eq!(effects(&used(SORT, "sort -k1 in")), ["r in"]);
    assert_eq!(
        normal(&used(SORT, "sort -nibak in")),
        ["sort", "o:-n", "o:-i", "v:bak", "a:in"]
    );
    assert_eq!(kinds(&used(SORT, "sort -5 in")), []);
    assert_eq!(kinds(&used(SORT, "sort -z in")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(SORT, "sort -o")), [UnknownKind::Value]);
}

#[test]
fn long_options_may_be_abbreviated_where_that_is_not_ambiguous() {
    assert_eq!(effects(&used(SORT, "sort --out=out")), ["w out"]);
    assert_eq!(effects(&used(SORT, "sort --out out")), ["w out"]);
    assert_eq!(normal(&used(SORT, "sort --rev")), ["sort", "o:-r"]);
    assert_eq!(kinds(&used(SORT, "sort --re")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(SORT, "sort --zap")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(SORT, "sort --unique=false")), [UnknownKind::Option]);
    let exact = SORT.replace("abbreviations=#true", "");
    assert_eq!(kinds(&used(&exact, "sort --out=out")), [UnknownKind::Option]);
}

#[test]
fn two_dashes_end_options() {
    let use_ = used(SORT, "sort -- -o out");
    assert_eq!(effects(&use_), ["r -o", "r out"]);
    assert_eq!(normal(&use_), ["sort", "e:--", "a:-o", "a:out"]);
    assert_eq!(effects(&used(SORT, "sort -o -- in")), ["w --", "r in"]);
}

#[test]
fn a_dash_alone_is_standard_input_or_output() {
    assert_eq!(effects(&used(SORT, "sort - in -o -")), ["r in"]);
}

#[test]
fn a_terminal_option_leaves_nothing_else() {
    assert_eq!(effects(&used(SORT, "sort -o out --help")), Vec::<String>::new());
    assert_eq!(effects(&used(SORT, "sort in --help -o out")), ["w out", "r in"]);
    // The unknown option may have taken `--help` as its value.
    let use_ = used(SORT, "sort --zap --help -o out");
    assert_eq!(effects(&use_), ["w out"]);
    assert_eq!(effects(&used(SORT, "sort -o --help")), ["w --help"]);
    assert_eq!(effects(&used(SORT, "sort $X --help -o out"))[0], "w out");
}

#[test]
fn a_file_name_that_may_be_a_harmful_option_is_unknown() {
    for harmless in ["sort ./*.txt", "sort -- *.txt", "sort src/*.txt"] {
        assert_eq!(kinds(&used(SORT, harmless)), [], "{harmless}");
    }
    let use_ = used(SORT, "sort *.txt");
    assert_eq!(kinds(&use_), [UnknownKind::MaybeOption]);
    assert_eq!(use_.unknowns[0].why, "`*.txt` may be the option `-o`");
    let quiet =
        "bin \"wc\"\nsource \"test\"\nflags \"-l --lines\" \"-c\"\narg \"[file]...\" { reads }\ncomplete";
    assert_eq!(kinds(&used(quiet, "wc *")), []);
    let rm = r#"
bin "rm"
source "test"
flags "-f" "-r"
arg "[file]..." { deletes }
when flag="-r" { arg "[file]..." { deletes-tree } }
complete
"#;
    assert_eq!(kinds(&used(rm, "rm *.txt")), []);
    assert_eq!(kinds(&used(rm, "rm *")), [UnknownKind::MaybeOption]);
    assert_eq!(kinds(&used(rm, "rm *fr")), [UnknownKind::MaybeOption]);
}

#[test]
fn a_text_that_is_not_known_may_be_an_option() {
    assert_eq!(kinds(&used(SORT, "sort \"$X\"")), [UnknownKind::MaybeOption]);
    assert_eq!(
        kinds(&used(SORT, "sort \"$X/health\"")),
        [UnknownKind::MaybeOption]
    );
    assert_eq!(kinds(&used(SORT, "sort $X")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(SORT, "sort \"a$X\"")), []);
    assert_eq!(kinds(&used(SORT, "sort -- \"$X\"")), []);
    // An option for certain, with a value that is not known.
    let use_ = used(SORT, "sort -o\"$X\"");
    assert_eq!(kinds(&use_), []);
    assert_eq!(effects(&use_), ["w Unknown(Variable)"]);
    let use_ = used(SORT, "sort --output=\"/tmp/$X\"");
    assert_eq!(effects(&use_), ["w Affixed { prefix: \"/tmp/\", suffix: \"\" }"]);
    assert_eq!(kinds(&used(SORT, "sort --\"$X\"")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(SORT, "sort -u\"$X\"")), [UnknownKind::Option]);
    let echo = "bin \"echo\"\nsource \"test\"\noptions style=\"none\"\narg \"[word]...\"\ncomplete";
    assert_eq!(kinds(&used(echo, "echo $X -n")), []);
}

#[test]
fn an_integer_is_an_option_only_where_digits_are() {
    let field = Field {
        value: Value::Integer,
        ..Field::literal("", Span::default())
    };
    let words = [Field::literal("sort", Span::default()), field];
    assert_eq!(used_with(SORT, &words, &ApplyContext::default()).unknowns, []);
}

#[test]
fn alternatives_are_each_cut() {
    let of = |texts: &[&str]| Field {
        value: Value::OneOf(texts.iter().map(|text| (*text).into()).collect()),
        ..Field::literal("", Span::default())
    };
    let words = [Field::literal("sort", Span::default()), of(&["-oout", "in"])];
    let use_ = used_with(SORT, &words, &ApplyContext::default());
    assert_eq!(effects(&use_), ["w out", "r in"]);
    assert_eq!(kinds(&use_), [UnknownKind::Option]);
    let words = [Field::literal("sort", Span::default()), of(&["a", "b"])];
    let use_ = used_with(SORT, &words, &ApplyContext::default());
    assert_eq!(effects(&use_), ["r OneOf([\"a\", \"b\"])"]);
    assert_eq!(kinds(&use_), []);
}

const FIND: &str = r#"
bin "find"
source "test"
options style="single-dash-words" equals=#false
flags "-name <pattern>" "(" ")" "!" "-print"
flag "-delete"
flag "-exec <command>..." { runs until=";" until-plus="+" placeholder="{}" }
flag "-O<level>"
arg "[path]..." default="." { reads }
when flag="-delete" { arg "[path]..." default="." { deletes-tree } }
unless flag="-exec" { prints-paths "path" }
complete
"#;

#[test]
fn words_with_one_dash_are_whole_options() {
    let use_ = used(FIND, "find src ( -name 'a*' ! -print ) -O3");
    assert_eq!(effects(&use_), ["r src"]);
    assert_eq!(kinds(&use_), []);
    assert_eq!(effects(&used(FIND, "find -name -delete")), ["r ."]);
    assert_eq!(effects(&used(FIND, "find a b -delete")), ["d* a", "d* b"]);
    assert_eq!(effects(&used(FIND, "find -delete")), ["d* ."]);
    assert_eq!(kinds(&used(FIND, "find -nam x")), [UnknownKind::Option]);
    assert_eq!(
        used(FIND, "find * -print").unknowns[0].why,
        "`*` may be the option `-delete`"
    );
    assert_eq!(kinds(&used(FIND, "find *.d -print")), []);
    assert_eq!(effects(&used(FIND, "find -- x -delete")), ["d* x"]);
}

#[test]
fn a_command_among_the_arguments_ends_at_its_end_word() {
    let use_ = used(FIND, "find src -exec grep -l x {} ; -print");
    assert_eq!(argvs(&use_), [["grep", "-l", "x", "Below(\"src\")"]]);
    assert_eq!(normal(&use_).last().unwrap(), "o:-print");
    let Nested::Argv { words, stdin, .. } = &used(FIND, "find . -exec rm {} +").nested[0] else {
        panic!("no argv");
    };
    assert_eq!(words[1].value, Value::Below(".".into()));
    assert_eq!(words[1].count, Count::OneOrMore);
    assert!(stdin);
    let use_ = used(FIND, "find a -exec cp {} {}.bak ;");
    assert_eq!(argvs(&use_)[0][2], "Affixed { prefix: \"\", suffix: \".bak\" }");
    assert_eq!(kinds(&used(FIND, "find . -exec rm {}")), [UnknownKind::Value]);
    assert_eq!(
        kinds(&used(FIND, "find . -exec $X ;")),
        [UnknownKind::Program, UnknownKind::Program]
    );
}

#[test]
fn printed_paths_are_below_the_operands() {
    let paths = |command: &str| used(FIND, command).prints_paths;
    assert_eq!(paths("find"), Some(Value::Below(".".into())));
    assert_eq!(paths("find src/"), Some(Value::Below("src".into())));
    assert_eq!(paths("find a b"), Some(Value::Below("".into())));
    assert_eq!(paths("find a /b"), Some(Value::Unknown(Origin::Input)));
    assert_eq!(
        paths("find /"),
        Some(Value::Affixed {
            prefix: "/".into(),
            suffix: "".into()
        })
    );
    assert_eq!(paths("find . -exec ls ;"), None);
}

#[test]
fn a_first_word_without_dash_is_a_bundle_for_tar() {
    let tar = r#"
bin "tar"
source "test"
options style="tar"
flags "-c" "-z" "-x" "-b <blocks>"
flag "-f <file>"
flag "-C <directory>" { changes-directory following=#true }
when flag="-c" { arg "[file]..." { reads-tree } }
complete
"#;
    let use_ = used(tar, "tar czbf 20 out.tgz a -C d b");
    assert_eq!(
        normal(&use_),
        [
            "tar",
            "o:-c",
            "o:-z",
            "o:-b",
            "v:20",
            "o:-f",
            "v:out.tgz",
            "a:a",
            "o:-C",
            "v:d",
            "a:b"
        ]
    );
    let below: Vec<_> = use_
        .effects
        .iter()
        .map(|effect| match &effect.kind {
            EffectKind::Reads(path) => path.below.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(below, [None, Some(Value::Known("d".into()))]);
    assert_eq!(kinds(&used(tar, "tar qf x")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(tar, "tar $X"))[0], UnknownKind::Option);
}

#[test]
fn dd_takes_names_and_values() {
    let dd = r#"
bin "dd"
source "test"
options style="dd"
flag "if=<file>" { reads }
flag "of=<file>" { writes }
flags "bs=<n>"
flag "--help" terminal=#true
complete
"#;
    assert_eq!(effects(&used(dd, "dd if=a of=b bs=1")), ["r a", "w b"]);
    assert_eq!(effects(&used(dd, "dd of=\"$X\"")), ["w Unknown(Variable)"]);
    assert_eq!(kinds(&used(dd, "dd zap=1")), [UnknownKind::Option]);
    assert_eq!(kinds(&used(dd, "dd *")), [UnknownKind::Option]);
}

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

const CP: &str = r#"
bin "cp"
source "test"
flags "-r" "-f"
flag "-t <directory>" { writes-into }
unless flag="-t" {
    unless flag="-r" { arg "<source>..." { reads }; arg "<dest>" { writes-into } }
    when flag="-r" { arg "<source>..." { reads-tree }; arg "<dest>" { writes-into } }
}
when flag="-t" { arg "<source>..." { reads } }
complete
"#;

#[test]
fn files_are_written_into_a_directory_under_the_names_of_the_others() {
    let into = |command: &str| {
        used(CP, command)
            .effects
            .iter()
            .find_map(|effect| match &effect.kind {
                EffectKind::Writes(path) => Some((
                    shown(&path.path),
                    path.tree,
                    path.into.iter().map(shown).collect::<Vec<_>>(),
                )),
                _ => None,
            })
            .unwrap()
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(into("cp a/x b/y d"), ("d".to_owned(), false, names(&["x", "y"])));
    assert_eq!(into("cp -r a/x d"), ("d".to_owned(), true, names(&["x"])));
    assert_eq!(into("cp a/x -td"), ("d".to_owned(), false, names(&["x"])));
}

#[test]
fn an_unknown_number_of_operands_counts_for_every_place() {
    let use_ = used(CP, "cp -- $X b");
    assert_eq!(effects(&use_), ["r Unknown(Variable)", "w b"]);
    let use_ = used(CP, "cp -- a $X");
    assert_eq!(
        effects(&use_),
        ["r a", "r Unknown(Variable)", "w a", "w Unknown(Variable)"]
    );
    let use_ = used(CP, "cp -- ./*.txt d");
    assert_eq!(effects(&use_), ["r Glob(\"./*.txt\")", "w d"]);
}

#[test]
fn commands_are_run_with_all_words_that_follow() {
    let timeout = r#"
bin "timeout"
source "test"
wrapper
options permute=#false
flags "-k <duration>"
arg "<duration>"
arg "<command>..." { runs }
complete
"#;
    let use_ = used(timeout, "timeout -k 1 5 rm -rf -- x");
    assert_eq!(argvs(&use_), [["rm", "-rf", "--", "x"]]);
    assert!(use_.wrapper);
    assert_eq!(kinds(&use_), []);
    assert_eq!(
        argvs(&used(timeout, "timeout 5 ls *.txt"))[0][1],
        "Glob(\"*.txt\")"
    );
    assert_eq!(kinds(&used(timeout, "timeout 5 ls *.txt")), []);
    assert_eq!(kinds(&used(timeout, "timeout 5 \"$X\"")), [UnknownKind::Program]);
    assert!(kinds(&used(timeout, "timeout $X ls")).contains(&UnknownKind::Program));
    // As an option it would make `ls` the duration.
    assert_eq!(
        kinds(&used(timeout, "timeout \"$X\" ls rm")),
        [UnknownKind::Program]
    );
}

#[test]
fn an_operand_that_is_run_ends_options_even_where_they_permute() {
    let npx = "bin \"npx\"\nsource \"test\"\nflags \"-y\"\narg \"<command>...\" { runs }";
    assert_eq!(argvs(&used(npx, "npx -y tsc -y")), [["tsc", "-y"]]);
}

const ENV: &str = r#"
bin "env"
source "test"
wrapper
options permute=#false
flags "-i"
flag "-u <name>"
flag "-C <directory>" { changes-directory }
flag "-S --split-string <string>" { runs-split }
arg "[command]..." { runs assignments=#true }
complete
"#;

#[test]
fn assignments_before_a_command_set_its_environment() {
    let use_ = used(ENV, "env -i A=1 B=\"$X\" ls -l");
    assert_eq!(effects(&use_), ["A=1", "B=Unknown(Variable)"]);
    let Nested::Argv { words, env, .. } = &use_.nested[0] else {
        panic!("no argv");
    };
    assert_eq!(words.len(), 2);
    assert_eq!(env[0], (Value::Known("A".into()), Value::Known("1".into())));
    assert_eq!(used(ENV, "env A=1").nested, []);
}

#[test]
fn a_string_that_is_split_stands_in_the_place_of_its_option() {
    assert_eq!(argvs(&used(ENV, "env -S 'A=1 rm  -rf' x")), [["rm", "-rf", "x"]]);
    assert_eq!(argvs(&used(ENV, "env '-Srm\\t-rf x'")), [["rm\t-rf", "x"]]);
    assert_eq!(argvs(&used(ENV, "env -S '-u B rm' x")), [["rm", "x"]]);
    assert_eq!(kinds(&used(ENV, "env -S 'rm ${X}'")), []);
    assert_eq!(kinds(&used(ENV, "env -S \"$X\"")), [UnknownKind::Program]);
    let rsync = "bin \"rsync\"\nsource \"test\"\nflag \"-e <shell>\" { runs-split }\narg \"[x]...\"";
    assert_eq!(
        argvs(&used(rsync, "rsync -e 'ssh -p 22' a b")),
        [["ssh", "-p", "22"]]
    );
}

#[test]
fn a_text_for_a_shell_has_positional_parameters() {
    let sh = r#"
bin "sh" "bash"
source "test"
options permute=#false
flag "-c"
flags "-e"
when flag="-c" { arg "<text>" { runs-shell }; arg "[name]"; arg "[args]..." }
unless flag="-c" { when operands=0 { runs-stdin "sh" } }
"#;
    let use_ = used(sh, "bash -ec 'ls \"$1\"' name -x");
    let Nested::Shell {
        text,
        positional,
        shell,
        remote,
        ..
    } = &use_.nested[0]
    else {
        panic!("no shell");
    };
    assert_eq!(text.known(), Some("ls \"$1\""));
    assert_eq!(shell, "bash");
    assert_eq!(positional.len(), 2);
    assert!(!remote);
    assert_eq!(use_.runs_stdin, None);
    assert_eq!(used(sh, "sh").runs_stdin.as_deref(), Some("sh"));
    let ssh = r#"
bin "ssh"
source "test"
options permute=#false
arg "<host>" { connects }
arg "[command]..." { runs-shell remote=#true }
"#;
    let use_ = used(ssh, "ssh h ls -l \"$X\"");
    assert_eq!(effects(&use_), ["c h"]);
    assert_eq!(
        argvs(&use_),
        [["sh", "Affixed { prefix: \"ls -l \", suffix: \"\" }"]]
    );
}

const XARGS: &str = r#"
bin "xargs"
source "test"
wrapper
options permute=#false
flags "-n <n>"
flag "-0"
flag "-I <text>"
unless flag="-0 -I" { arg "[command]..." { runs appends="stdin-words" } }
when flag="-0" { arg "[command]..." { runs appends="stdin-nul" } }
when flag="-I" { arg "[command]..." { runs appends="stdin-lines" placeholder-from="-I" } }
runs-default "echo"
complete
"#;

#[test]
fn words_from_standard_input_follow_a_command() {
    let with = |command: &str, text: Option<&str>, paths: Option<Value>| {
        let context = ApplyContext {
            stdin_paths: paths,
            stdin_text: text.map(Into::into),
        };
        argvs(&used_with(XARGS, &fields(command), &context))
    };
    assert_eq!(with("xargs cat", Some(".env\n"), None), [["cat", ".env"]]);
    assert_eq!(
        with("xargs cat", Some("'a b' c"), None),
        [["cat", "OneOf([\"a b\", \"c\"])"]]
    );
    assert_eq!(with("xargs cat", Some(""), None), [["cat"]]);
    assert_eq!(with("xargs cat", None, None), [["cat", "Unknown(Input)"]]);
    assert_eq!(with("xargs", Some("x"), None), [["echo", "x"]]);
    // Names with blanks fall apart, so only NUL keeps what is known of paths.
    let paths = || Some(Value::Below("src".into()));
    assert_eq!(with("xargs cat", None, paths()), [["cat", "Unknown(Input)"]]);
    assert_eq!(with("xargs -0 cat", None, paths()), [["cat", "Below(\"src\")"]]);
    assert_eq!(with("xargs -I{} rm a/{}", Some("b\n"), None), [["rm", "a/b"]]);
    assert_eq!(
        with("xargs -I% rm a/%.c", None, None),
        [["rm", "Affixed { prefix: \"a/\", suffix: \".c\" }"]]
    );
}

#[test]
fn programs_in_other_languages_are_analysed() {
    let sed = r#"
bin "sed"
source "test"
flags "-n"
flag "-e <script>" satisfies="script" { evaluates "sed" }
arg "<script>" unless-given="script" { evaluates "sed" }
arg "[file]..." { reads }
complete
"#;
    assert_eq!(effects(&used(sed, "sed -n '1p;w out' in")), ["r in", "w out"]);
    assert_eq!(kinds(&used(sed, "sed -n 1p in")), []);
    assert_eq!(effects(&used(sed, "sed -e 'a\\' -e 'w out' in")), ["r in"]);
    assert_eq!(
        kinds(&used(sed, "sed \"$X\" in")).last(),
        Some(&UnknownKind::Value)
    );
    assert_eq!(kinds(&used(sed, "sed '{' in")), [UnknownKind::Value]);
    let perl = "bin \"perl\"\nsource \"test\"\nflag \"-e <text>\" { evaluates \"perl\" }";
    assert_eq!(effects(&used(perl, "perl -e 1")), ["Evaluates(\"perl\")"]);
}

#[test]
fn parts_of_values_are_picked_out() {
    let curl = r#"
bin "curl"
source "test"
flag "-d <data>" { reads at="@" }
flag "-F <form>" { reads after="=" at="@" }
flag "--include <glob>" { narrows }
flag "--exclude <glob>" { excludes }
flag "--color" negate="--no-color" { unknown "colour" }
arg "[source]..." { connects or="path" }
unless flag="--color" { state "x" }
"#;
    assert_eq!(effects(&used(curl, "curl -d @a -d b"))[1..], ["r a"]);
    assert_eq!(
        effects(&used(curl, "curl -d \"$X\""))[1..],
        ["r Unknown(Variable)"]
    );
    assert_eq!(effects(&used(curl, "curl -F a=@b=c -F d=e"))[1..], ["r b=c"]);
    assert_eq!(
        effects(&used(curl, "curl h:x ./y:z w"))[1..],
        ["c h:x", "r* ./y:z", "r* w"]
    );
    let globs = |command: &str| {
        let use_ = used(curl, command);
        let EffectKind::Reads(path) = &use_.effects[1].kind else {
            panic!("{use_:?}");
        };
        (path.narrowed.clone(), path.excluded.clone())
    };
    let glob = |text: &str| vec![Value::Glob(text.into())];
    assert_eq!(globs("curl --include '*.c' y"), (glob("*.c"), Vec::new()));
    assert_eq!(globs("curl --exclude x y"), (Vec::new(), glob("x")));
    assert_eq!(
        globs("curl --include '*.c' --exclude x y"),
        (Vec::new(), Vec::new())
    );
    assert_eq!(effects(&used(curl, "curl --color")), Vec::<String>::new());
    // Whether it is taken back depends on the order, so both may hold.
    assert_eq!(effects(&used(curl, "curl --color --no-color")), ["State(\"x\")"]);
}

#[test]
fn operands_that_no_place_takes_are_unknown() {
    let one = "bin \"one\"\nsource \"test\"\narg \"<file>\" { reads }\ncomplete";
    assert_eq!(kinds(&used(one, "one a")), []);
    assert_eq!(kinds(&used(one, "one a b")), [UnknownKind::Value]);
}

#[test]
fn a_published_specification_loads_as_it_is() {
    let text = r#"
min_usage_version "2.11"
name "demo"
bin "demo"
version "1.0"
about "a tool"
usage "Usage: demo [OPTIONS] <COMMAND>"
flag "-C --cd" help="change directory" global=#true {
    long_help "more"
    arg "<DIR>"
}
flag "-v --verbose..." help="louder" var=#true count=#true
flag "--color" negate="--no-color" default="auto"
flag "-j --jobs <n>" env="JOBS" help="jobs" {
    choices "1" "2"
}
cmd "install" help="installs" effect="write" {
    alias "i" "add" hide=#true
    flag "-f --force"
    arg "[TOOL@VERSION]…" help="what" required=#false var=#true
    example "demo install node"
}
cmd "ls" help="lists" effect="read" hide=#false {
    after_long_help "..."
}
complete "tool" run="demo tools"
config {
    prop "x" default=1
}
"#;
    let (_, problems) = read_definitions(text);
    assert_eq!(problems, []);
    let use_ = used(text, "demo -vC dir i -f node@1 go");
    assert_eq!(use_.command, ["demo", "install"]);
    assert_eq!(kinds(&use_), []);
    assert_eq!(effects(&use_), ["Changes { destructive: false }"]);
    assert!(!use_.complete);
    assert_eq!(effects(&used(text, "demo ls -C x")), Vec::<String>::new());
}

#[test]
fn every_problem_of_a_file_is_reported_with_its_place() {
    let text = "bin \"x\"\nflag \"-o <file>\" { wriets }\nflag \"-o\"\nfalg \"-p\"\nwhen flag=\"--zap\" { network }\noptions permut=#true\ncomplete\n";
    let (_, problems) = read_definitions(text);
    let mut lines: Vec<String> = problems.iter().map(|problem| problem.line("f", text)).collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            "f:1:1: `complete` needs a `source` (name the manual and its version: source \"GNU grep 3.8 manual\")",
            "f:2:20: unknown node `wriets` (did you mean `writes`?)",
            "f:3:1: `-o` is listed twice",
            "f:4:1: unknown node `falg` (did you mean `flag`?)",
            "f:5:6: no option `--zap` is listed",
            "f:6:9: unknown property `permut` (did you mean `permute`?)",
        ]
    );
    assert_eq!(
        read_definitions(&"a {".repeat(100)).1[0].message,
        "blocks are nested more than 64 deep"
    );
    assert_eq!(read_definitions("bin \"x").1.len(), 1);
}
