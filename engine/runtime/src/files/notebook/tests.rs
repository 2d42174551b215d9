//! Tests of reading notebooks.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::parts;
use crate::files::error::FileError;
use crate::files::place::Decided;
use crate::files::read::{Part, ReadOptions};

fn shown(text: &str, offset: Option<u64>, limit: Option<u64>) -> Result<Vec<Part>, FileError> {
    parts(
        &Decided::new("/w/a.ipynb").unwrap(),
        text,
        &ReadOptions {
            offset,
            limit,
            pages: None,
        },
    )
}

fn text(text: &str) -> Vec<Part> {
    vec![Part::Text(text.to_owned())]
}

#[test]
fn cells_are_shown_with_their_outputs() {
    let book = r##"{"cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "words"]},
        {"cell_type": "code", "id": "c1", "execution_count": 1, "metadata": {}, "source": "print(1)\n1 / 0", "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
            {"output_type": "execute_result", "data": {"text/html": ["<b>2</b>"], "text/plain": ["2"], "application/json": {"a": 1}}},
            {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["\u001b[0;31mTrace\u001b[0m", "line"]},
            {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []}
        ]}
    ], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"##;
    assert_eq!(
        shown(book, None, None).unwrap(),
        text(
            "[cell 0, markdown]\n# Title\nwords\n[cell 1, code, id c1]\nprint(1)\n1 / 0\n[output of cell 1]\n1\n[output of cell 1]\n2\n\
             [output of cell 1]\nTrace\nline\n[output of cell 1]\nE: v\n"
        )
    );
}

#[test]
fn images_among_outputs_are_images() {
    let mut bytes = Cursor::new(Vec::new());
    image::DynamicImage::from(image::RgbImage::new(3, 2))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    let png = STANDARD.encode(bytes.into_inner());
    let book = format!(
        r#"{{"cells": [{{"cell_type": "code", "source": "plot()", "outputs": [{{"data": {{"image/png": "{png}\n", "text/plain": ["<Figure>"]}}}}]}}]}}"#
    );
    let shown = shown(&book, None, None).unwrap();
    assert_eq!(
        shown[0],
        Part::Text("[cell 0, code]\nplot()\n[output of cell 0]\n".to_owned())
    );
    assert!(matches!(&shown[1], Part::Image(image) if (image.width, image.height) == (3, 2)));
}

#[test]
fn a_long_notebook_is_read_by_cells() {
    let cell = r#"{"cell_type": "code", "source": "x", "outputs": []}"#;
    let book = format!(r#"{{"cells": [{}]}}"#, [cell; 5].join(","));
    assert_eq!(
        shown(&book, Some(2), Some(2)).unwrap(),
        text(
            "[cell 1, code]\nx\n[cell 2, code]\nx\n\n[cells 1 to 2 of 5 are shown, counted from 0; read on with offset 4]\n"
        )
    );
    assert!(matches!(
        shown(&book, Some(6), None),
        Err(FileError::BehindTheEnd {
            total: 5,
            unit: "cells",
            ..
        })
    ));
    let long = format!(
        r#"{{"cells": [{}]}}"#,
        vec![format!(r#"{{"cell_type": "code", "source": "{}"}}"#, "y".repeat(60_000)); 2].join(",")
    );
    let Part::Text(page) = shown(&long, None, None).unwrap().remove(0) else {
        panic!("it is text")
    };
    assert!(page.ends_with("read on with offset 2]\n"));
}

#[test]
fn a_long_output_is_cut() {
    let book = format!(
        r#"{{"cells": [{{"cell_type": "code", "source": "x", "outputs": [{{"text": "{}"}}]}}]}}"#,
        "é".repeat(10_003)
    );
    let Part::Text(page) = shown(&book, None, None).unwrap().remove(0) else {
        panic!("it is text")
    };
    assert!(page.ends_with("é\n[cut: 3 more characters]\n"));
}

#[test]
fn what_is_no_notebook_is_an_error() {
    for book in ["{}", "{\"cells\": 1}", "{\"cells\": [", "{\"cells\": [1]}"] {
        assert!(
            matches!(shown(book, None, None), Err(FileError::BadNotebook { .. })),
            "{book}"
        );
    }
    let deep = format!("{{\"cells\": {}{}}}", "[".repeat(500_000), "]".repeat(500_000));
    assert!(matches!(
        shown(&deep, None, None),
        Err(FileError::BadNotebook { .. })
    ));
    let deep = format!(
        "{{\"cells\": [{{\"cell_type\": \"code\", \"metadata\": {}{}}}]}}",
        "[".repeat(500_000),
        "]".repeat(500_000)
    );
    let _ = shown(&deep, None, None);
}
