//! The style, and that nothing is lost.

use super::{FormatError, convert, reformat};
use crate::read::Format;
use crate::source::Sources;

fn of(text: &str, format: Format) -> Result<String, FormatError> {
    reformat("text", text, format, &mut Sources::new())
}

fn kdl(text: &str) -> String {
    let once = of(text, Format::Kdl).unwrap_or_else(|error| panic!("{error:?} of {text:?}"));
    assert_eq!(of(&once, Format::Kdl), Ok(once.clone()), "again");
    once
}

fn toml(text: &str) -> String {
    let once = of(text, Format::Toml).unwrap_or_else(|error| panic!("{error:?} of {text:?}"));
    assert_eq!(of(&once, Format::Toml), Ok(once.clone()), "again");
    once
}

#[test]
fn blanks_and_indentation_are_normalised() {
    assert_eq!(
        kdl("\n\n  allow   {\n\n\tread  \"a\"   \"b\" ;command \"x\"\n\n\n\n  write \"c\"\n\n}\n\n"),
        "allow {\n    read \"a\" \"b\"\n    command \"x\"\n\n    write \"c\"\n}\n"
    );
    assert_eq!(kdl(""), "");
    assert_eq!(kdl(" \n\n"), "");
    assert_eq!(kdl("a;b;;c"), "a\nb\nc\n");
    assert_eq!(kdl("a {\n}\nb {  }"), "a {}\nb {}\n");
}

#[test]
fn a_block_stays_on_its_line_where_it_fits() {
    assert_eq!(kdl("a {b 1;c{d}}"), "a { b 1; c { d } }\n");
    let long = "x".repeat(111);
    assert_eq!(
        kdl(&format!("a {{ b \"{long}\" }}")),
        format!("a {{\n    b \"{long}\"\n}}\n")
    );
    assert_eq!(kdl("a {\n b }"), "a {\n    b\n}\n");
}

#[test]
fn literals_keep_their_spelling() {
    let text = "\u{feff}/- kdl-version 2\na 0xFF 1_000 +1.5e3 #true #null #\"r\"a\"# \"\\u{41}\\n\" \"bare\" bare k=\"v\" \"q r\"=#false (t)x k2=(t)\"y\" \"\"\"\n   a\n\n      b\n   \"\"\"\n";
    assert_eq!(kdl(text), text);
    assert_eq!(kdl("( t ) a ( u ) b"), "( t )a ( u )b\n");
    assert_eq!(kdl("a k  =  1"), "a k=1\n");
}

#[test]
fn comments_stay_where_they_are() {
    let text = "\
// top
a 1 // behind
/* own
     line */
b /* in */ 1 k= /* v */ 2 /* end */
/* before */ c { // of the block
    // first

    d // behind d
    // last
} // behind c
/-e {
    f
}
g /-1 2 /-k=3 /-{
    h
} {
    i
}
// end
";
    assert_eq!(kdl(text), text);
}

#[test]
fn comments_of_continued_lines_are_kept() {
    let text = "a 1 \\ // one\n    2 \\\n    /* three */ 3 \\\n    4 \\ // four\n    { b }\n";
    assert_eq!(kdl(text), text);
    assert_eq!(kdl("a \\ // c\n\nb"), "a // c\n\nb\n");
    assert_eq!(kdl("a \\\n // c\nb"), "a\n// c\nb\n");
    assert_eq!(kdl("/- // why\n\n a 1"), "/- // why\n    a 1\n");
    assert_eq!(kdl("a; /* c */\nb; /* d */ e"), "a /* c */\nb\n/* d */ e\n");
}

#[test]
fn long_lists_are_filled_and_an_authors_lines_are_kept() {
    let words: Vec<String> = (0..40).map(|n| format!("\"word{n}\"")).collect();
    let printed = kdl(&format!("allow {{ command {} }}", words.join(" ")));
    assert!(
        printed.lines().all(|line| line.chars().count() <= 120),
        "{printed}"
    );
    assert_eq!(printed.lines().count(), 6);
    assert!(printed.starts_with("allow {\n    command \"word0\" \"word1\""));
    assert!(printed.contains(" \\\n        \"word"));
    assert_eq!(
        kdl("a \"x\" \\\n \"y\"   \"z\" \\\n\"w\" { b }"),
        "a \"x\" \\\n    \"y\" \"z\" \\\n    \"w\" { b }\n"
    );
    // What fits no line stays where it is.
    let long = "x".repeat(130);
    assert_eq!(kdl(&format!("a 1 k=\"{long}\"")), format!("a 1 k=\"{long}\"\n"));
}

#[test]
fn line_ends_are_those_of_the_last_line() {
    assert_eq!(kdl("a\r\n\r\n\r\nb {\r\nc }"), "a\r\n\r\nb {\r\n    c\r\n}\r\n");
    assert_eq!(toml("a=1\r\n\r\n\r\nb=2"), "a = 1\r\n\r\nb = 2\r\n");
}

#[test]
fn what_is_no_kdl_is_refused_with_every_mistake() {
    let Err(FormatError::Invalid(problems)) = of("a {\n b (x\n c \"d\n}\n}", Format::Kdl) else {
        panic!("printed")
    };
    assert!(problems.len() >= 3, "{problems:?}");
    assert!(matches!(
        of("a = [1\nb = =", Format::Toml),
        Err(FormatError::Invalid(_))
    ));
    assert!(matches!(
        of("a = 1\na = 2\n", Format::Toml),
        Err(FormatError::Invalid(_))
    ));
}

#[test]
fn toml_is_normalised_and_keeps_comments_and_literals() {
    let text = "\
\u{feff}# top


lock=[ 'rules',\"checks\" ,]   # behind
n   = 0xFF
[ policy ]

name = \"x\"
# about deny
# more
[[ deny ]] # here

read=[ 1_000 ,2] # list


# apart

write = [ # open
\"a\",'b'

# own

, \"c\" # c
,
]
write2.x . \"y z\" = {a=1,b=[ ]}
";
    let expected = "\
\u{feff}# top

lock = ['rules', \"checks\"] # behind
n = 0xFF

[policy]
name = \"x\"

# about deny
# more
[[deny]] # here
read = [1_000, 2] # list

# apart

write = [ # open
    \"a\", 'b',

    # own

    \"c\", # c
]
write2.x.\"y z\" = { a = 1, b = [] }
";
    assert_eq!(toml(text), expected);
}

#[test]
fn long_lists_of_toml_are_filled() {
    let words: Vec<String> = (0..40).map(|n| format!("\"word{n}\"")).collect();
    let printed = toml(&format!("a = {{ b = [{}], c = 1 }}", words.join(",")));
    assert!(
        printed.lines().all(|line| line.chars().count() <= 120),
        "{printed}"
    );
    assert!(printed.starts_with("a = { b = [\n    \"word0\""));
    assert!(printed.ends_with(",\n], c = 1 }\n"), "{printed}");
}

fn said(text: &str, from: Format) -> String {
    convert("text", text, from, &mut Sources::new()).unwrap_or_else(|error| panic!("{error:?} of {text:?}"))
}

#[test]
fn a_policy_is_said_in_toml_with_its_comments() {
    let kdl = "\
/- kdl-version 2
// top
policy \"p\" {
    extends \"a.kdl\" // first
    extends \"b.kdl\"
}
lock { rules; checks } // locked
/* about
 * sets */
sets { paths \"s\" \"~/.ssh/**\" { except \"~/.ssh/*.pub\" } }
deny \"no\" because=\"it \\\"is\\\" so\" { // head
    // the first
    command \"a\" // behind the first
    command \"b\" {
        // inside
        flag \"-f\"
    }
    /-command \"gone\"
    // last
}
allow \"Bash(ls:*)\"
tests {
    // one
    deny \"a\" rule=\"no\"
    deny tool=\"Read\" file_path=\"x\" limit=0x10
}
// end
";
    let toml = "\
lock = [\"rules\", \"checks\"]

# top
[policy]
name = \"p\"
# first
extends = [\"a.kdl\", \"b.kdl\"]

# about
# * sets
[sets.paths]
s = { patterns = \"~/.ssh/**\", except = \"~/.ssh/*.pub\" }

[[deny]] # head
name = \"no\"
because = 'it \"is\" so'
rules = [
    # the first
    { command = \"a\" }, # behind the first
    # inside
    { command = \"b\", flag = \"-f\" },
]
# /-command \"gone\"
# last

[[allow]]
short = [\"Bash(ls:*)\"]

# one
[[tests]]
verdict = \"deny\"
commands = [\"a\"]
rule = \"no\"

[[tests]]
verdict = \"deny\"
tool = \"Read\"
input = { file_path = \"x\", limit = 16 }

# end
";
    assert_eq!(said(kdl, Format::Kdl), toml.replace("lock =", "# locked\nlock ="));
}

#[test]
fn a_policy_is_said_in_kdl_with_its_comments() {
    let toml = "\
# top
[policy]
name = \"p\" # name

# rules
[[deny]] # head
because = 'a \"b\" \\'
command = [
    \"a\",
    # the table
    { match = \"b\", flag = [\"-f\", \"-g\"] }, # behind
]

[[tests]]
verdict = \"deny\"
tool = \"Read\"
input = { path = \"x\", mode = \"y\" }
# end
";
    let kdl = "\
// top
policy \"p\" { // name
}

// rules
deny because=#\"a \"b\" \\\"# {
    command \"a\"
    // the table
    command \"b\" { flag \"-f\" \"-g\" } // behind
}

tests {
    deny tool=\"Read\" { input path=\"x\" mode=\"y\" }
}

// end
";
    let found = said(toml, Format::Toml);
    assert_eq!(found, kdl.replace("// rules\n", "// rules\n// head\n"));
}

#[test]
fn what_toml_has_no_words_for_is_refused() {
    let twice = "tests { deny tool=\"X\" a=1 { input a=2 } }";
    let Err(FormatError::Invalid(problems)) = convert("text", twice, Format::Kdl, &mut Sources::new()) else {
        panic!("said")
    };
    assert_eq!(problems[0].code, "policy::no-such-spelling");
    let no_policy = convert("text", "bin \"x\"", Format::Kdl, &mut Sources::new());
    assert!(matches!(no_policy, Err(FormatError::Invalid(_))));
}

#[test]
fn what_hides_or_reorders_is_an_escape_in_the_other_spelling() {
    let toml = said("tests { allow \"a\\u{202e}b\\u{85}\" }", Format::Kdl);
    assert!(toml.contains("\"a\\U0000202Eb\\U00000085\""), "{toml}");
    let kdl = said(
        "# a\u{202e}b\n[[tests]]\nverdict = \"allow\"\ncommands = 'a\u{202e}b'\n",
        Format::Toml,
    );
    assert!(
        kdl.contains("// a\\u{202e}b\n") && kdl.contains("\"a\\u{202e}b\""),
        "{kdl}"
    );
}

#[test]
fn what_would_be_too_long_is_left_alone() {
    let nested = format!("{}{};", "a{".repeat(60), "}".repeat(60)).repeat(2000);
    let Err(FormatError::Invalid(problems)) = of(&nested, Format::Kdl) else {
        panic!("printed")
    };
    assert_eq!(problems[0].code, "policy::too-large");
}

#[test]
fn the_kind_of_a_session_is_a_line_in_toml() {
    let kdl = "session \"persistent\" {\n    setting \"a\" \"b\"\n    setting \"c\" \"d\"\n}\n";
    assert_eq!(
        said(kdl, Format::Kdl),
        "[session]\nshell = \"persistent\"\nsetting = [{ args = [\"a\", \"b\"] }, { args = [\"c\", \"d\"] }]\n"
    );
}
