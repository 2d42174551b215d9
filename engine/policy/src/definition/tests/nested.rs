//! Facts about command lines, texts for shells and programs among the arguments.

use engine_shell::Value;

use super::super::apply::ApplyContext;
use super::super::example::fields;
use super::{argvs, effects, kinds, used, used_with};
use crate::effect::{Nested, UnknownKind};

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
            stdin_may_be_any: false,
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
