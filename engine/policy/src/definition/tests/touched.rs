//! Facts about what values and operands are.

use engine_shell::Value;

use super::{effects, kinds, shown, used};
use crate::effect::{EffectKind, UnknownKind};

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
