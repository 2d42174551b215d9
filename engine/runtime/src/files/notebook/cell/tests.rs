//! Tests of editing cells.

use serde_json::{Value, json};

use super::{CellCommand, CellKind, CellRequest, edit_cell};
use crate::files::error::FileError;
use crate::files::place::Decided;
use crate::files::read::{ReadOptions, View, read};
use crate::files::seen::Seen;

/// As the usual program writes it, with spacing and keys of its own in places.
const BOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {"odd":   [1,2 , 3]},
   "source": [
    "# Title\n",
    "words"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "abc",
   "metadata": {},
   "outputs": [
    {"text": ["]}\", "], "output_type": "stream"}
   ],
   "source": "one = 1"
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "def",
   "metadata": {},
   "outputs": [],
   "source": []
  }
 ],
 "metadata": {"x": 1.50},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn edited(
    book: &str,
    command: CellCommand,
    number: usize,
    kind: Option<CellKind>,
    source: Option<&str>,
) -> Result<String, FileError> {
    let folder = tempfile::tempdir().unwrap();
    let place = Decided::new(folder.path().join("a.ipynb")).unwrap();
    std::fs::write(place.as_path(), book).unwrap();
    let mut seen = Seen::default();
    let request = CellRequest {
        command,
        number,
        kind,
        source,
    };
    assert!(matches!(
        edit_cell(
            &place,
            &request,
            &View {
                seen: &seen,
                visible: &|_| true
            }
        ),
        Err(FileError::NotRead { .. } | FileError::BadRequest(_))
    ));
    seen.note(
        read(
            &place,
            &ReadOptions::default(),
            &View {
                seen: &seen,
                visible: &|_| true,
            },
        )
        .unwrap()
        .noted
        .unwrap(),
    );
    edit_cell(
        &place,
        &request,
        &View {
            seen: &seen,
            visible: &|_| true,
        },
    )?;
    Ok(std::fs::read_to_string(place.as_path()).unwrap())
}

#[test]
fn a_replaced_source_changes_nothing_else() {
    let after = edited(BOOK, CellCommand::Replace, 0, None, Some("# New\n\n\"quoted\"\n")).unwrap();
    assert_eq!(
        after,
        BOOK.replace(
            "    \"# Title\\n\",\n    \"words\"\n",
            "    \"# New\\n\",\n    \"\\n\",\n    \"\\\"quoted\\\"\\n\"\n"
        )
    );
}

#[test]
fn replaced_code_loses_what_the_old_code_printed() {
    let after = edited(
        BOOK,
        CellCommand::Replace,
        1,
        Some(CellKind::Code),
        Some("two = 2\n"),
    )
    .unwrap();
    let expected = BOOK
        .replace("\"one = 1\"", "\"two = 2\\n\"")
        .replace("\"execution_count\": 7", "\"execution_count\": null")
        .replace(
            "[\n    {\"text\": [\"]}\\\", \"], \"output_type\": \"stream\"}\n   ]",
            "[]",
        );
    assert_eq!(after, expected);
}

#[test]
fn an_empty_list_takes_lines_as_the_others_have_them() {
    let after = edited(BOOK, CellCommand::Replace, 2, None, Some("a\nb")).unwrap();
    assert_eq!(
        after,
        BOOK.replace("\"source\": []", "\"source\": [\n    \"a\\n\",\n    \"b\"\n   ]")
    );
}

#[test]
fn a_deleted_cell_leaves_the_others_as_they_were() {
    let first = edited(BOOK, CellCommand::Delete, 0, None, None).unwrap();
    let start = BOOK.find("  {\n   \"cell_type\": \"markdown\"").unwrap();
    let end = BOOK
        .find("  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 7")
        .unwrap();
    let mut expected = BOOK.to_owned();
    expected.replace_range(start..end, "");
    assert_eq!(first, expected);

    let last = edited(BOOK, CellCommand::Delete, 2, None, None).unwrap();
    let start = BOOK
        .find(",\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null")
        .unwrap();
    let end = BOOK.find("\n ],\n \"metadata\"").unwrap();
    let mut expected = BOOK.to_owned();
    expected.replace_range(start..end, "");
    assert_eq!(last, expected);
}

#[test]
fn an_inserted_cell_looks_like_the_others() {
    let after = edited(
        BOOK,
        CellCommand::Insert,
        1,
        Some(CellKind::Markdown),
        Some("new\ncell"),
    )
    .unwrap();
    let value: Value = serde_json::from_str(&after).unwrap();
    let id = value["cells"][1]["id"].as_str().unwrap();
    let new = format!(
        "  {{\n   \"cell_type\": \"markdown\",\n   \"id\": \"{id}\",\n   \"metadata\": {{}},\n   \"source\": [\n    \"new\\n\",\n    \"cell\"\n   ]\n  }},\n"
    );
    let at = BOOK
        .find("  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 7")
        .unwrap();
    let mut expected = BOOK.to_owned();
    expected.insert_str(at, &new);
    assert_eq!(after, expected);

    let after = edited(BOOK, CellCommand::Insert, 3, Some(CellKind::Code), Some("")).unwrap();
    let value: Value = serde_json::from_str(&after).unwrap();
    let cell = &value["cells"][3];
    assert_eq!(
        *cell,
        json!({"cell_type": "code", "execution_count": null, "id": cell["id"], "metadata": {}, "outputs": [], "source": []})
    );
}

#[test]
fn a_cell_of_another_kind_keeps_its_other_members() {
    let after = edited(
        BOOK,
        CellCommand::Replace,
        1,
        Some(CellKind::Markdown),
        Some("words"),
    )
    .unwrap();
    let value: Value = serde_json::from_str(&after).unwrap();
    assert_eq!(
        value["cells"][1],
        json!({"cell_type": "markdown", "id": "abc", "metadata": {}, "source": "words"})
    );
    let after = edited(BOOK, CellCommand::Replace, 0, Some(CellKind::Code), Some("x")).unwrap();
    assert!(after.contains("   \"metadata\": {\"odd\":   [1,2 , 3]},\n   \"source\": [\n    \"x\"\n   ],\n   \"execution_count\": null,\n   \"outputs\": []\n  },"), "{after}");
}

#[test]
fn a_notebook_on_one_line_stays_on_it() {
    let book = r#"{"cells":[{"cell_type":"code","metadata":{},"outputs":[],"execution_count":1,"source":["a"]}],"nbformat":4,"nbformat_minor":2}"#;
    let after = edited(book, CellCommand::Replace, 0, None, Some("b\nc")).unwrap();
    assert_eq!(
        after,
        book.replace(r#"["a"]"#, r#"["b\n", "c"]"#)
            .replace("_count\":1", "_count\":null")
    );
    let after = edited(book, CellCommand::Insert, 0, Some(CellKind::Markdown), Some("t")).unwrap();
    assert_eq!(
        after,
        book.replace(
            r#"[{"cell"#,
            r#"[{"cell_type": "markdown", "metadata": {}, "source": ["t"]}, {"cell"#
        )
    );
    let none = edited(book, CellCommand::Delete, 0, None, None).unwrap();
    assert!(none.starts_with(r#"{"cells":[],"#));
    let one = edited(&none, CellCommand::Insert, 0, Some(CellKind::Markdown), Some("t")).unwrap();
    assert!(one.starts_with(r#"{"cells":[{"cell_type": "markdown""#));
}

#[test]
fn line_endings_of_the_file_are_kept() {
    let book = BOOK.replace('\n', "\r\n");
    let after = edited(&book, CellCommand::Replace, 0, None, Some("a\nb")).unwrap();
    assert_eq!(
        after,
        book.replace(
            "    \"# Title\\n\",\r\n    \"words\"",
            "    \"a\\n\",\r\n    \"b\""
        )
    );
}

#[test]
fn mistakes_are_named() {
    let error = |command, number, kind, source| {
        edited(BOOK, command, number, kind, source)
            .unwrap_err()
            .to_string()
    };
    assert!(
        error(CellCommand::Delete, 3, None, None)
            .ends_with("has 3 cells (numbers 0 to 2), so there is no cell 3")
    );
    assert!(error(CellCommand::Insert, 4, Some(CellKind::Code), Some("")).ends_with("so there is no cell 4"));
    assert_eq!(
        error(CellCommand::Insert, 0, None, Some("")),
        "`cell_type` is needed to insert a cell: code or markdown"
    );
    assert_eq!(
        error(CellCommand::Replace, 0, None, None),
        "`new_source` is needed to insert or replace a cell"
    );
    assert!(
        edited("{\"a\": 1}", CellCommand::Delete, 0, None, None)
            .unwrap_err()
            .to_string()
            .ends_with("it has no list of cells")
    );
    assert!(matches!(
        edited("{\"cells\": [", CellCommand::Delete, 0, None, None),
        Err(FileError::BadNotebook { .. })
    ));
}

#[test]
fn depth_is_no_danger() {
    let deep = format!(
        "{{\"cells\": [{{\"cell_type\": \"code\", \"metadata\": {}{}, \"source\": \"\"}}]}}",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    let after = edited(&deep, CellCommand::Replace, 0, None, Some("x"));
    assert_eq!(
        after.unwrap(),
        deep.replace("\"source\": \"\"", "\"source\": \"x\"")
    );
}

#[test]
fn random_cells_of_random_notebooks_change_alone() {
    let mut state = 5_u64;
    let mut next = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    for _ in 0..150 {
        let cell = |next: &mut dyn FnMut(usize) -> usize| {
            let source = ["", "a", "a\nb\n", "]}\"\\\n,", "é\u{1F600}"][next(5)];
            let source = if next(2) == 0 {
                json!(source)
            } else {
                json!(source.split_inclusive('\n').collect::<Vec<_>>())
            };
            if next(2) == 0 {
                json!({"cell_type": "markdown", "metadata": {"k": [[], {}]}, "source": source})
            } else {
                json!({"cell_type": "code", "metadata": {}, "source": source, "outputs": [{"text": "o"}], "execution_count": 3})
            }
        };
        let count = next(4);
        let cells: Vec<Value> = (0..count).map(|_| cell(&mut next)).collect();
        let book = json!({"cells": cells, "metadata": {"a": "]"}, "nbformat": 4, "nbformat_minor": 4});
        let text = if next(2) == 0 {
            serde_json::to_string(&book).unwrap()
        } else {
            serde_json::to_string_pretty(&book).unwrap()
        };
        let command = [CellCommand::Insert, CellCommand::Replace, CellCommand::Delete][next(3)];
        let number = next(count + 1);
        let kind = [CellKind::Code, CellKind::Markdown][next(2)];
        let after = edited(&text, command, number, Some(kind), Some("new\n\"\\]"));
        if number == count && command != CellCommand::Insert {
            assert!(matches!(after, Err(FileError::NoCell { .. })));
            continue;
        }
        let after: Value = serde_json::from_str(&after.unwrap()).unwrap();
        let mut after_cells = after["cells"].as_array().unwrap().clone();
        let mut expected = cells.clone();
        if command != CellCommand::Delete {
            let changed = after_cells.remove(number);
            let source: String = match changed["source"].as_array() {
                Some(lines) => lines.iter().map(|line| line.as_str().unwrap()).collect(),
                None => changed["source"].as_str().unwrap().to_owned(),
            };
            assert_eq!(
                (source.as_str(), changed["cell_type"].as_str().unwrap()),
                ("new\n\"\\]", kind.name())
            );
            assert_eq!(changed.get("outputs").is_some(), kind == CellKind::Code);
        }
        if command != CellCommand::Insert {
            expected.remove(number);
        }
        assert_eq!(after_cells, expected);
        assert_eq!(after["metadata"], book["metadata"]);
    }
}
