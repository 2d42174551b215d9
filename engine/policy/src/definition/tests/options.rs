//! Facts about cutting an argv into options, values and operands.

use engine_shell::{Count, Field, Origin, Span, Value};

use super::super::apply::ApplyContext;
use super::{argvs, effects, kinds, normal, used, used_with};
use crate::effect::{EffectKind, Nested, UnknownKind};

const SORT: &str = r#"
bin "sort"
source "test"
options abbreviations=#true numbers=#true
flags "-u --unique" "-n" "-r --reverse" "-k --key <key>" "--reuse" "-i [suffix]"
flag "-o --output <file>" { writes }
flag "-V --help" terminal=#true
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
    for nothing in [
        "sort -u --help",
        "sort --help in",
        "sort --help -u in",
        "sort -uV",
        "sort -rV in",
    ] {
        assert_eq!(effects(&used(SORT, nothing)), Vec::<String>::new(), "{nothing}");
    }
    // Another option may be obeyed before, on either side.
    for writes in [
        "sort -o out --help",
        "sort --help -o out",
        "sort -Vo out",
        "sort -V -oout",
        "sort -Vu -o out",
    ] {
        assert_eq!(effects(&used(SORT, writes)), ["w out"], "{writes}");
    }
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

#[test]
fn an_equals_sign_in_front_of_an_attached_value_belongs_to_it_or_not() {
    let both = effects(&used(SORT, "sort -o=out in"));
    assert_eq!(both, ["w OneOf([\"=out\", \"out\"])", "r in"]);
    assert_eq!(effects(&used(SORT, "sort -o= in")), ["w =", "r in"]);
    assert_eq!(effects(&used(SORT, "sort -oout in")), ["w out", "r in"]);
}

const FIND: &str = r#"
bin "find"
source "test"
options style="single-dash-words" equals=#false
flags "-name <pattern>" "(" ")" "!" "-print"
flag "-delete"
flag "-exec <command>..." { runs until=";" until-plus="+" placeholder="{}" }
flag "-O<level>"
arg "[path]..." { reads; default "." }
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
