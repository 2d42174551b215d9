//! Writes sections as KDL; how it looks is the printer's.

use super::comments::{Noted, Section, Sections};
use super::literal::{kdl, kdl_name};
use crate::read::{Node, Property};

/// Names that a test has for itself, so that a field of a tool's input cannot be called so beside them.
const OF_TESTS: &[&str] = &["rule", "cwd", "mode", "shell", "via", "tool"];

pub(super) fn write(sections: &Sections<'_>) -> String {
    let mut out = String::new();
    for section in &sections.list {
        if !out.is_empty() {
            out.push('\n');
        }
        write_section(section, &mut out);
    }
    if !sections.tail.is_empty() && !out.is_empty() {
        out.push('\n');
    }
    comments(&sections.tail, &mut out);
    out
}

fn comments(lines: &[String], out: &mut String) {
    for line in lines {
        out.push_str("//");
        out.push_str(line);
        out.push('\n');
    }
}

/// Ends a line, with the comments that stand behind it.
fn end(behind: &[String], out: &mut String) {
    if !behind.is_empty() {
        out.push_str(" //");
        out.push_str(&behind.join(","));
    }
    out.push('\n');
}

fn write_section(section: &Section<'_>, out: &mut String) {
    let node = section.head.node;
    comments(&section.head.above, out);
    head(node, out);
    let bare = |line: &Noted<'_>| line.above.is_empty() && line.behind.is_empty();
    if node.name.value == "lock" && section.lines.iter().all(bare) && section.tail.is_empty() {
        let parts: Vec<String> = section
            .lines
            .iter()
            .map(|line| kdl_name(&line.node.name.value))
            .collect();
        out.push_str(" { ");
        out.push_str(&parts.join("; "));
        out.push_str(" }");
        end(&section.head.behind, out);
        return;
    }
    out.push_str(" {");
    end(&section.head.behind, out);
    for line in &section.lines {
        comments(&line.above, out);
        if node.name.value == "tests" {
            write_test(line.node, out);
        } else {
            write_line(line.node, out);
        }
        end(&line.behind, out);
    }
    comments(&section.tail, out);
    out.push_str("}\n");
}

/// The name, the arguments and the properties.
fn head(node: &Node, out: &mut String) {
    out.push_str(&kdl_name(&node.name.value));
    for argument in &node.arguments {
        out.push(' ');
        out.push_str(&kdl(argument));
    }
    properties(&node.properties, out);
}

fn properties(list: &[Property], out: &mut String) {
    for property in list {
        out.push(' ');
        out.push_str(&kdl_name(&property.name.value));
        out.push('=');
        out.push_str(&kdl(&property.value));
    }
}

fn write_line(node: &Node, out: &mut String) {
    head(node, out);
    // `operands within="..."` says the same as its block.
    if let (true, [within]) = (node.name.value == "operands", node.children())
        && let [argument] = within.arguments.as_slice()
        && within.name.value == "within"
    {
        out.push_str(" within=");
        out.push_str(&kdl(argument));
        return;
    }
    if node.children().is_empty() {
        return;
    }
    out.push_str(" { ");
    for (index, child) in node.children().iter().enumerate() {
        if index > 0 {
            out.push_str("; ");
        }
        write_line(child, out);
    }
    out.push_str(" }");
}

/// A test. Fields of a tool's input stand among its properties where none is called like one of the test's own.
fn write_test(node: &Node, out: &mut String) {
    let fields: Vec<&Property> = node
        .children()
        .iter()
        .flat_map(|input| &input.properties)
        .collect();
    let own = |field: &&Property| {
        OF_TESTS.contains(&field.name.value.as_str())
            || node
                .properties
                .iter()
                .any(|property| property.name.value == field.name.value)
    };
    if fields.iter().any(own) {
        write_line(node, out);
        return;
    }
    let (tool, others): (Vec<Property>, Vec<Property>) = node
        .properties
        .iter()
        .cloned()
        .partition(|property| property.name.value == "tool");
    let fields: Vec<Property> = fields.into_iter().cloned().collect();
    out.push_str(&kdl_name(&node.name.value));
    for argument in &node.arguments {
        out.push(' ');
        out.push_str(&kdl(argument));
    }
    for list in [tool, fields, others] {
        properties(&list, out);
    }
}
