//! Tests of documents, whole and damaged.

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, Stream, StringFormat};

use super::{Pages, read};
use crate::files::error::FileError;
use crate::files::place::Decided;

fn text(text: &str) -> Object {
    Object::String(text.as_bytes().to_vec(), StringFormat::Literal)
}

fn name(name: &str) -> Object {
    Object::Name(name.as_bytes().to_vec())
}

fn dictionary(entries: impl IntoIterator<Item = (&'static str, Object)>) -> Dictionary {
    entries.into_iter().collect()
}

/// A document with one page for each drawing.
fn document(drawings: Vec<Vec<Operation>>) -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary([
        ("Type", name("Font")),
        ("Subtype", name("Type1")),
        ("BaseFont", name("Courier")),
    ]));
    let fonts = dictionary([("F1", font.into())]);
    let resources = document.add_object(dictionary([("Font", fonts.into())]));
    let kids: Vec<Object> = drawings
        .into_iter()
        .map(|operations| {
            let mut stream = Stream::new(Dictionary::new(), Content { operations }.encode().unwrap());
            stream.compress().unwrap();
            let content = document.add_object(stream);
            let page = [
                ("Type", name("Page")),
                ("Parent", pages.into()),
                ("Contents", content.into()),
                ("Resources", resources.into()),
            ];
            document.add_object(dictionary(page)).into()
        })
        .collect();
    let count = i64::try_from(kids.len()).unwrap();
    document.set_object(
        pages,
        dictionary([
            ("Type", name("Pages")),
            ("Count", count.into()),
            ("Kids", kids.into()),
        ]),
    );
    let catalog = document.add_object(dictionary([("Type", name("Catalog")), ("Pages", pages.into())]));
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn words(words: &str) -> Vec<Operation> {
    vec![
        Operation::new("BT", vec![]),
        Operation::new("Tf", vec![name("F1"), 12.into()]),
        Operation::new("Td", vec![72.into(), 700.into()]),
        Operation::new("Tj", vec![text(words)]),
        Operation::new("ET", vec![]),
    ]
}

fn shown(bytes: Vec<u8>, pages: Option<&str>) -> Result<String, FileError> {
    read(&Decided::new("/w/a.pdf").unwrap(), bytes, Pages::parse(pages)?).map(|pages| pages.text)
}

#[test]
fn each_page_has_its_text_under_its_number() {
    let bytes = document(vec![words("one"), words("two"), vec![], words("four")]);
    assert_eq!(
        shown(bytes.clone(), None).unwrap(),
        "[page 1 of 4]\none\n[page 2 of 4]\ntwo\n[page 3 of 4]\n[no text on this page; it may be a picture]\n[page 4 of 4]\nfour\n"
    );
    assert_eq!(shown(bytes.clone(), Some("2")).unwrap(), "[page 2 of 4]\ntwo\n");
    assert_eq!(
        shown(bytes.clone(), Some("4-9")).unwrap(),
        "[page 4 of 4]\nfour\n"
    );
    assert!(
        shown(bytes.clone(), Some("3-"))
            .unwrap()
            .starts_with("[page 3 of 4]")
    );
    let error = shown(bytes, Some("5-6")).unwrap_err().to_string();
    assert!(
        error.ends_with("has 4 pages, so there is nothing at offset 5; give a smaller offset"),
        "{error}"
    );
}

#[test]
fn lines_and_words_are_told_apart() {
    let page = vec![
        Operation::new("BT", vec![]),
        Operation::new("Tf", vec![name("F1"), 12.into()]),
        Operation::new("TL", vec![14.into()]),
        Operation::new(
            "Tm",
            vec![1.into(), 0.into(), 0.into(), 1.into(), 72.into(), 700.into()],
        ),
        Operation::new(
            "TJ",
            vec![
                vec![
                    text("Hel"),
                    20.into(),
                    text("lo"),
                    Object::Integer(-300),
                    text("world"),
                ]
                .into(),
            ],
        ),
        Operation::new("Td", vec![0.into(), Object::Integer(-14)]),
        Operation::new("Tj", vec![text("second")]),
        Operation::new("T*", vec![]),
        Operation::new("Tj", vec![text("third")]),
        Operation::new("'", vec![text("fourth")]),
        Operation::new("ET", vec![]),
        Operation::new("BT", vec![]),
        Operation::new(
            "Tm",
            vec![1.into(), 0.into(), 0.into(), 1.into(), 90.into(), 658.into()],
        ),
        Operation::new("Tj", vec![text(" goes on")]),
        Operation::new("ET", vec![]),
    ];
    assert_eq!(
        shown(document(vec![page]), None).unwrap(),
        "[page 1 of 1]\nHello world\nsecond\nthird\nfourth goes on\n"
    );
}

#[test]
fn a_range_of_pages_is_a_number_or_two() {
    for (given, first, last) in [
        ("3", 3, 3),
        ("1-5", 1, 5),
        ("10-", 10, u32::MAX),
        (" 2 - 4 ", 2, 4),
        ("7-7", 7, 7),
    ] {
        assert_eq!(
            Pages::parse(Some(given)).unwrap(),
            Pages { first, last },
            "{given}"
        );
    }
    for given in [
        "",
        "0",
        "-",
        "-5",
        "5-3",
        "a",
        "1-b",
        "1,2",
        "1-2-3",
        "+1",
        "99999999999",
    ] {
        let error = Pages::parse(Some(given)).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("`{given}` is not a range of pages; write `3`, `1-5` or `10-` (pages count from 1)")
        );
    }
}

#[test]
fn a_long_document_says_how_to_read_on() {
    let page = words(&"word ".repeat(2000));
    let text = shown(document(vec![page; 20]), None).unwrap();
    assert!(text.contains("[page 9 of 20]") && !text.contains("[page 10 of 20]"));
    assert!(text.ends_with("[about 25000 tokens are shown at once; read on with pages `10-`]\n"));
}

#[test]
fn a_page_that_unfolds_to_far_more_is_not_read() {
    let page = vec![Operation::new("Tj", vec![text(&" ".repeat(40_000_000))])];
    let bytes = document(vec![page, words("fine")]);
    assert!(bytes.len() < 200_000);
    let text = shown(bytes, None).unwrap();
    assert!(
        text.contains("[the text of this page could not be read:"),
        "{text}"
    );
    assert!(text.ends_with("[page 2 of 2]\nfine\n"));
}

#[test]
fn nesting_is_no_danger() {
    let mut bytes = b"%PDF-1.4\n1 0 obj\n".to_vec();
    bytes.extend(b"[".repeat(400_000));
    bytes.extend(b"\nendobj\ntrailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF");
    assert!(matches!(shown(bytes, None), Err(FileError::BadPdf { .. })));
}

#[test]
fn damaged_documents_are_errors_or_text_and_nothing_else() {
    let bytes = document(vec![words("one"), words("two (three) four")]);
    let mut state = 99_u64;
    let mut next = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    let (mut fine, mut bad) = (0, 0);
    for round in 0..3000 {
        let mut changed = bytes.clone();
        match round % 4 {
            0 => changed.truncate(next(bytes.len())),
            1 => {
                // Numbers are what offsets, lengths and references are made of.
                for _ in 0..4 {
                    let digits: Vec<usize> = (0..changed.len())
                        .filter(|at| changed[*at].is_ascii_digit())
                        .collect();
                    let at = digits[next(digits.len())];
                    changed[at] = b"0123456789-"[next(11)];
                }
            }
            2 => {
                let (from, to) = (next(bytes.len()), next(bytes.len()));
                let piece: Vec<u8> = bytes[from..(from + 40).min(bytes.len())].to_vec();
                changed.splice(to..to, piece);
            }
            _ => {
                for _ in 0..6 {
                    let at = next(changed.len());
                    changed[at] = u8::try_from(next(256)).unwrap();
                }
            }
        }
        // Called as it is, not on a thread that would hide a panic.
        match super::text_of(
            &changed,
            Pages {
                first: 1,
                last: u32::MAX,
            },
        ) {
            Ok(pages) => {
                assert!(pages.text.starts_with("[page 1 of "));
                fine += 1;
            }
            Err(_) => bad += 1,
        }
    }
    assert!(fine > 100 && bad > 100, "{fine} read, {bad} refused");
}
