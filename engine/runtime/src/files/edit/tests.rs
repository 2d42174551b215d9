//! Tests of editing: what fits, what is said when nothing does, and random edits beside a model that is too simple to be wrong.

use proptest::prelude::ProptestConfig;
use proptest::proptest;

use super::{EditRequest, Failure, Replaced, Which, edit, near, replace};
use crate::files::change::Fit;
use crate::files::error::FileError;
use crate::files::place::Decided;
use crate::files::read::{ReadOptions, View, read};
use crate::files::seen::Seen;

fn once(text: &str, old: &str, new: &str) -> Result<Replaced, Failure> {
    replace(
        text,
        &EditRequest {
            old_string: old,
            new_string: new,
            which: Which::TheOnly,
        },
    )
}

fn all(text: &str, old: &str, new: &str) -> Result<Replaced, Failure> {
    replace(
        text,
        &EditRequest {
            old_string: old,
            new_string: new,
            which: Which::All,
        },
    )
}

#[track_caller]
fn becomes(answer: Result<Replaced, Failure>, text: &str, fit: Fit) {
    let answer = answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.fit), (text, fit));
}

#[test]
fn the_only_place_is_replaced() {
    becomes(once("one two three", "two", "2"), "one 2 three", Fit::Exact);
    becomes(once("é€", "€", ""), "é", Fit::Exact);
}

#[test]
fn several_places_are_counted_and_located() {
    assert_eq!(
        once("a\nx\na a\n", "a", "b"),
        Err(Failure::Many {
            count: 3,
            lines: vec![1, 3, 3]
        })
    );
    assert_eq!(
        once("aaa", "aa", "b"),
        Err(Failure::Many {
            count: 2,
            lines: vec![1, 1]
        })
    );
    becomes(all("a\nx\na a\n", "a", "bb"), "bb\nx\nbb bb\n", Fit::Exact);
    becomes(all("aaa", "aa", "b"), "ba", Fit::Exact);
}

#[test]
fn lines_of_a_file_with_carriage_returns_get_them() {
    becomes(once("a\r\nb\r\n", "b", "c\nd"), "a\r\nc\r\nd\r\n", Fit::Exact);
    becomes(once("a\r\nb\r\n", "a\r\nb", "c\nd"), "c\nd\r\n", Fit::Exact);
    becomes(
        once("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz"),
        "x\r\ny\r\nz\r\nc\r\n",
        Fit::Restyled,
    );
    becomes(once("a\nb\n", "a\r\nb", "x\r\ny"), "x\ny\n", Fit::Restyled);
    becomes(
        once("a\nb\r\nc", "a\nb\nc", "a\nb\nd"),
        "a\nb\r\nd",
        Fit::Restyled,
    );
}

#[test]
fn quotes_fit_whichever_way_they_are_written() {
    becomes(
        once("say “hi” now", "say \"hi\" now", "say \"ho\" now"),
        "say “ho” now",
        Fit::Restyled,
    );
    becomes(
        once("it’s “so”", "it's \"so\"", "it's \"(\"\" not\""),
        "it’s “(“” not”",
        Fit::Restyled,
    );
    becomes(once("x = 'a'", "x = ‘a’", "y = ‘b’"), "y = 'b'", Fit::Restyled);
    becomes(
        once("“a” + \"b\"", "\"a\" + \"b\"", "\"a\" + \"c\""),
        "“a” + \"c\"",
        Fit::Restyled,
    );
}

#[test]
fn tabs_fit_spaces_and_spaces_tabs() {
    becomes(
        once("if x:\n\ty\n\tz\n", "    y\n    z", "    y\n        w\n    z"),
        "if x:\n\ty\n\t\tw\n\tz\n",
        Fit::Restyled,
    );
    becomes(
        once("fn a() {\n  b();\n}\n", "\tb();", "\tc();\n\td();"),
        "fn a() {\n  c();\n  d();\n}\n",
        Fit::Restyled,
    );
    becomes(
        once("{\n\t\tx\n}", "{\n    x\n}", "{\n    x\n    y\n}"),
        "{\n\t\tx\n\t\ty\n}",
        Fit::Restyled,
    );
}

#[test]
fn half_a_tab_is_never_replaced() {
    assert_eq!(once("\ta", "   a ", "b"), Err(Failure::None));
    // Two spaces are half of a tab of four, but all of a tab of two.
    becomes(once("\ta", "  a", "  b"), "\tb", Fit::Restyled);
}

#[test]
fn more_than_one_place_that_nearly_fits_is_an_error() {
    assert_eq!(
        once("“a”\n”a”\n", "\"a\"", "b"),
        Err(Failure::ManyAlike {
            count: 2,
            lines: vec![1, 2]
        })
    );
    assert_eq!(
        all("“a”\n”a”\n", "\"a\"", "b"),
        Err(Failure::ManyAlike {
            count: 2,
            lines: vec![1, 2]
        })
    );
    // An exact place is meant, however many others there are.
    becomes(once("“a”\n\"a\"\n", "\"a\"", "b"), "“a”\nb\n", Fit::Exact);
}

#[test]
fn a_change_of_nothing_but_style_is_none() {
    assert_eq!(once("“a”", "\"a\"", "“a”"), Err(Failure::Same));
}

#[test]
fn what_comes_closest_is_said() {
    let text = "fn main() {\n    let total = 1;\n    print(total);\n}\n";
    assert_eq!(
        near::closest(text, "fn main() {\n    let total = 2;\n    print(total);").to_string(),
        "; closest is line 2, which is `    let total = 1;` in the file and `    let total = 2;` in `old_string`"
    );
    assert_eq!(
        near::closest(text, "let totel = 1;").to_string(),
        "; closest is line 2: `    let total = 1;`"
    );
    assert_eq!(
        near::closest(text, "zzzzzz").to_string(),
        ", nor anything like it; read the file again"
    );
}

struct Case {
    _folder: tempfile::TempDir,
    place: Decided,
    seen: Seen,
}

impl Case {
    fn new(content: impl AsRef<[u8]>) -> Self {
        Self::named("file.txt", content)
    }

    fn named(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Decided::new(folder.path().join(name)).unwrap();
        std::fs::write(place.as_path(), content).unwrap();
        Self {
            _folder: folder,
            place,
            seen: Seen::default(),
        }
    }

    fn read(&mut self) {
        let noted = read(
            &self.place,
            &ReadOptions::default(),
            &View {
                seen: &self.seen,
                visible: &|_| true,
            },
        )
        .unwrap()
        .noted;
        self.seen.note(noted.unwrap());
    }

    fn edit(&mut self, old: &str, new: &str, which: Which) -> Result<String, FileError> {
        let request = EditRequest {
            old_string: old,
            new_string: new,
            which,
        };
        let change = edit(
            &self.place,
            &request,
            &View {
                seen: &self.seen,
                visible: &|_| true,
            },
        )?;
        self.seen.note(change.noted);
        Ok(change.diff)
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.place.as_path()).unwrap()
    }
}

#[test]
fn a_file_has_to_be_read_and_unchanged() {
    let mut case = Case::new("one");
    assert!(matches!(
        case.edit("one", "two", Which::TheOnly),
        Err(FileError::NotRead { .. })
    ));
    case.read();
    case.edit("one", "two", Which::TheOnly).unwrap();
    case.edit("two", "three", Which::TheOnly).unwrap();
    std::fs::write(case.place.as_path(), "three, and more").unwrap();
    assert!(matches!(
        case.edit("three", "four", Which::TheOnly),
        Err(FileError::Changed { .. })
    ));
    assert_eq!(case.bytes(), b"three, and more");
}

#[test]
fn the_bytes_around_an_edit_stay_as_they_are() {
    for (before, old, new, after) in [
        (
            b"\xef\xbb\xbfa\r\nb".as_slice(),
            "b",
            "é\n",
            b"\xef\xbb\xbfa\r\n\xc3\xa9\r\n".as_slice(),
        ),
        (b"\xff\xfea\0b\0", "b", "€", b"\xff\xfea\0\xac\x20"),
        (b"\xe9\x80a", "a", "è", b"\xe9\x80\xe8"),
        (b"a\r\r\n\nb", "b", "c", b"a\r\r\n\nc"),
    ] {
        let mut case = Case::new(before);
        case.read();
        case.edit(old, new, Which::TheOnly).unwrap();
        assert_eq!(case.bytes(), after);
    }
}

#[test]
fn errors_say_what_to_do() {
    let mut case = Case::new("alpha\nbeta\nalpha\n");
    case.read();
    let mut says = |old: &str, new: &str, text: &str| {
        let error = case.edit(old, new, Which::TheOnly).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    says("alpha", "x", "occurs 2 times in `");
    says(
        "alpha",
        "x",
        "at lines 1, 3; give more of the text around it to name one, or set `replace_all`",
    );
    says("alphe", "x", "closest is line 1: `alpha`, then line 3: `alpha`");
    says("beta", "beta", "are equal, so there is nothing to change");
    says("", "x", "`old_string` is empty");
}

#[test]
fn only_text_is_edited() {
    let mut case = Case::named("a.ipynb", "{\"cells\": []}");
    case.read();
    assert!(matches!(
        case.edit("cells", "x", Which::TheOnly),
        Err(FileError::IsNotebook { .. })
    ));
}

#[test]
fn the_diff_shows_the_edit() {
    let mut case = Case::new("a\nb\nc\n");
    case.read();
    let diff = case.edit("b", "B", Which::TheOnly).unwrap();
    assert!(diff.ends_with("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), "{diff}");
}

/// The model: a text, searched character by character.
fn model(text: &str, old: &str, new: &str, which: Which) -> Option<String> {
    let letters: Vec<char> = text.chars().collect();
    let wanted: Vec<char> = old.chars().collect();
    let starts = (0..letters.len())
        .filter(|at| letters[*at..].starts_with(&wanted))
        .count();
    match (starts, which) {
        (0, _) | (2.., Which::TheOnly) => None,
        (1, Which::TheOnly) | (_, Which::All) => Some(text.split(old).collect::<Vec<_>>().join(new)),
    }
}

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        usize::try_from((mixed ^ (mixed >> 27)) >> 33).unwrap() % most
    }

    /// Few letters, so that texts repeat; no quotes, tabs or carriage returns, which fit more than themselves.
    fn text(&mut self, most: usize) -> String {
        (0..self.below(most))
            .map(|_| ['a', 'b', '\n', 'é', '😀', ' '][self.below(6)])
            .collect()
    }

    fn which(&mut self) -> Which {
        [Which::TheOnly, Which::All][self.below(2)]
    }
}

#[test]
fn ten_thousand_sequences_of_random_edits_do_what_the_model_does() {
    let (mut done, mut refused) = (0, 0);
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let mut text = random.text(60);
        for _ in 0..random.below(12) {
            let (old, new, which) = (random.text(4), random.text(5), random.which());
            if old.is_empty() || old == new {
                continue;
            }
            let expected = model(&text, &old, &new, which);
            let edited = replace(
                &text,
                &EditRequest {
                    old_string: &old,
                    new_string: &new,
                    which,
                },
            );
            assert_eq!(
                edited.ok().map(|edited| edited.text),
                expected,
                "{seed}: {text:?} {old:?} {new:?} {which:?}"
            );
            match expected {
                Some(expected) => (done, text) = (done + 1, expected),
                None => refused += 1,
            }
        }
    }
    assert!(
        done > 10_000 && refused > 10_000,
        "{done} edits, {refused} refused"
    );
}

#[test]
fn random_edits_of_files_in_every_encoding_do_what_the_model_does() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let encode = |text: &str| -> Vec<u8> {
            match seed % 4 {
                0 => text.as_bytes().to_vec(),
                1 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
                2 => [0xff, 0xfe]
                    .into_iter()
                    .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
                    .collect(),
                _ => [0xfe, 0xff]
                    .into_iter()
                    .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
                    .collect(),
            }
        };
        let mut text = random.text(60);
        let mut case = Case::new(encode(&text));
        case.read();
        for _ in 0..10 {
            let (old, new, which) = (random.text(3), random.text(5), random.which());
            let expected = if old.is_empty() || old == new {
                None
            } else {
                model(&text, &old, &new, which)
            };
            let edited = case.edit(&old, &new, which);
            assert_eq!(
                edited.is_ok(),
                expected.is_some(),
                "{seed}: {text:?} {old:?} {new:?} {which:?}"
            );
            text = expected.unwrap_or(text);
            assert_eq!(case.bytes(), encode(&text));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is found by another spelling, everything around it stays.
    #[test]
    fn a_restyled_edit_changes_one_place(
        before in "[ab \n\t]{0,12}",
        place in "[ab\"'“”’ \t\n]{1,10}",
        after in "[ab \n\t]{0,12}",
        new in "[ab\"'“”’ \t\n\r]{0,10}",
        width in 1..5_usize,
    ) {
        let text = format!("{before}{place}{after}");
        let old = place.replace(['“', '”'], "\"").replace('’', "'").replace('\t', &" ".repeat(width));
        if let Ok(replaced) = once(&text, &old, &new) {
            let same_front = text.chars().zip(replaced.text.chars()).take_while(|(a, b)| a == b).count();
            let same_back = text.chars().rev().zip(replaced.text.chars().rev()).take_while(|(a, b)| a == b).count();
            let changed = text.chars().count().saturating_sub(same_front + same_back);
            proptest::prop_assert!(changed <= place.chars().count() * 4, "{:?} {:?} {:?}", text, old, replaced);
        }
    }
}
