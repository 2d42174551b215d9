//! Compiles the shipped command definitions into one file of bytes and an index of names.
//!
//! Invariant (no broken data): any problem in a definition fails the build with its file, line and column.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[path = "src/definition/model.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the model is shared with the library, which uses all of it"
)]
mod model;
#[path = "src/names.rs"]
#[expect(unreachable_pub, reason = "shared with the library")]
mod names;
#[path = "src/definition/notes.rs"]
#[expect(unreachable_pub, reason = "shared with the library")]
mod notes;
#[path = "src/definition/problem.rs"]
#[expect(unreachable_pub, reason = "shared with the library")]
mod problem;
#[path = "src/definition/read.rs"]
mod read;
#[path = "src/definition/shape.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the model is shared with the library, which uses all of it"
)]
mod shape;
#[path = "src/definition/usage.rs"]
mod usage;
#[path = "src/definition/words.rs"]
mod words;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tooldefs/commands");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let mut stdout = io::stdout();
    writeln!(stdout, "cargo::rerun-if-changed={}", directory.display())?;
    let mut files: Vec<PathBuf> = fs::read_dir(&directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "kdl"));
    files.sort();

    let mut bytes: Vec<u8> = Vec::new();
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut examples: Vec<Vec<model::Example>> = Vec::new();
    let mut notes: Vec<(String, Vec<notes::CommandNote>)> = Vec::new();
    let mut complaints = String::new();
    for path in files {
        writeln!(stdout, "cargo::rerun-if-changed={}", path.display())?;
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path)?;
        let (definitions, problems) = read::read_file(&text, read::Holds::Definitions);
        for problem in problems {
            let shown = format!("tooldefs/commands/{file}");
            writeln!(complaints, "{}", problem.line(&shown, &text))?;
        }
        for read in definitions {
            let mut definition = read.definition;
            // Examples and places are for people: they are kept apart, so that deciding never reads them.
            notes.push((file.clone(), read.notes.commands));
            examples.push(std::mem::take(&mut definition.tests));
            for name in &definition.names {
                if names.insert(name.to_string(), places.len()).is_some() {
                    writeln!(
                        complaints,
                        "tooldefs/commands/{file}:1:1: `{name}` is defined twice"
                    )?;
                }
            }
            let start = bytes.len();
            bytes = postcard::to_extend(&definition, bytes)?;
            places.push((start, bytes.len()));
        }
    }
    if !complaints.is_empty() {
        write!(io::stderr(), "{complaints}")?;
        return Err("the command definitions have problems".into());
    }

    let mut index = String::new();
    writeln!(index, "pub(super) const SHIPPED: usize = {};", places.len())?;
    writeln!(
        index,
        "pub(super) static PLACES: [(u32, u32); SHIPPED] = {places:?};"
    )?;
    let names: Vec<(&String, &usize)> = names.iter().collect();
    writeln!(index, "pub(super) static NAMES: &[(&str, u32)] = &{names:?};")?;
    fs::write(out.join("definitions.rs"), index)?;
    fs::write(out.join("definitions.bin"), bytes)?;
    fs::write(out.join("examples.bin"), postcard::to_allocvec(&examples)?)?;
    fs::write(out.join("notes.bin"), postcard::to_allocvec(&notes)?)?;

    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tooldefs/tools");
    writeln!(stdout, "cargo::rerun-if-changed={}", tools.display())?;
    fs::write(out.join("tools.rs"), tool_shapes(&tools)?)?;

    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tooldefs/variables.txt");
    writeln!(stdout, "cargo::rerun-if-changed={}", list.display())?;
    fs::write(out.join("variables.rs"), variables(&fs::read_to_string(&list)?)?)?;
    Ok(())
}

/// What the inputs of the shipped tools say, as a table. The definitions are read and checked as a whole elsewhere; this takes the fields.
fn tool_shapes(directory: &Path) -> Result<String, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "kdl"));
    files.sort();
    let mut table = String::from("pub(super) const SHIPPED: &[ToolShape<'static>] = &[\n");
    for path in files {
        let document: kdl::KdlDocument = fs::read_to_string(&path)?
            .parse()
            .map_err(|error| format!("{}: {error}", path.display()))?;
        for tool in document
            .nodes()
            .iter()
            .filter(|node| node.name().value() == "tool")
        {
            tool_shape(tool, &mut table)?;
        }
    }
    table.push_str("];\n");
    Ok(table)
}

fn tool_shape(tool: &kdl::KdlNode, table: &mut String) -> Result<(), Box<dyn Error>> {
    let name = tool
        .get(0)
        .and_then(kdl::KdlValue::as_string)
        .ok_or("a tool has no name")?;
    let has = |word: &str| {
        tool.children()
            .is_some_and(|children| children.get(word).is_some())
    };
    let mut fields = String::new();
    let mut starts = false;
    let inputs = tool.children().and_then(|children| children.get("input"));
    let inputs = inputs
        .and_then(kdl::KdlNode::children)
        .map_or(&[][..], kdl::KdlDocument::nodes);
    for field in inputs {
        let is = |property: &str| field.get(property).and_then(kdl::KdlValue::as_bool) == Some(true);
        if is("internal") {
            continue;
        }
        let name = field
            .get(0)
            .and_then(kdl::KdlValue::as_string)
            .ok_or("a field has no name")?;
        let role = ROLES.iter().find(|(word, _)| {
            field
                .children()
                .is_some_and(|children| children.get(word).is_some())
        });
        let role = role.map(|(_, role)| *role);
        starts |= matches!(role, Some("Agent" | "Skill"));
        let absent = match (field.get("default").and_then(kdl::KdlValue::as_string), role) {
            // What is wrong about a call beyond what it touches is told where it is made.
            (_, None) => "Nothing".to_owned(),
            _ if is("required") => "Wrong".to_owned(),
            (Some(text), _) => format!("Means({text:?})"),
            // A path that is left out is the working directory.
            (None, Some("Reads" | "ReadsTree")) => "Means(\".\")".to_owned(),
            (None, _) => "Nothing".to_owned(),
        };
        let many = field.name().value() == "array";
        let role = role.map_or("None".to_owned(), |role| format!("Some(Role::{role})"));
        writeln!(
            fields,
            "            FieldShape {{ name: {name:?}, role: {role}, many: {many}, absent: Absent::{absent} }},"
        )?;
    }
    let body = tool.children().and_then(|children| children.get("body"));
    let in_input = has("read-only") || starts || body.is_none_or(|body| !acts(body));
    let effects = if in_input { "InInput" } else { "Unsaid" };
    writeln!(
        table,
        "    ToolShape {{ name: {name:?}, effects: Effects::{effects}, trees: Trees::Whole, fields: &[\n{fields}    ] }},"
    )?;
    Ok(())
}

/// The words of a field that say what it touches.
const ROLES: &[(&str, &str)] = &[
    ("reads", "Reads"),
    ("reads-tree", "ReadsTree"),
    ("writes", "Writes"),
    ("deletes", "Deletes"),
    ("connects", "Connects"),
    ("runs-shell", "RunsShell"),
    ("names", "Names"),
    ("unconfined", "Unconfined"),
    ("agent", "Agent"),
    ("skill", "Skill"),
];

/// Whether a body does something outside the session that the fields of the tool do not say.
fn acts(node: &kdl::KdlNode) -> bool {
    const ACTING: &[&str] = &[
        "run", "shell", "read", "write", "edit", "glob", "grep", "call", "agent", "mcp",
    ];
    let children = node.children().map_or(&[][..], kdl::KdlDocument::nodes);
    children
        .iter()
        .any(|step| ACTING.contains(&step.name().value()) || acts(step))
}

/// The list of variables as tables: names by name, and patterns with a star. Each with whether it is dangerous.
fn variables(text: &str) -> Result<String, String> {
    let mut names: BTreeMap<&str, bool> = BTreeMap::new();
    let mut patterns: BTreeMap<&str, bool> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split(' ');
        let dangerous = match words.next() {
            Some("dangerous") => true,
            Some("harmless") => false,
            Some(_) | None => return Err(format!("tooldefs/variables.txt:{}: unknown kind", number + 1)),
        };
        for name in words {
            let table = if name.contains('*') {
                &mut patterns
            } else {
                &mut names
            };
            *table.entry(name).or_default() |= dangerous;
        }
    }
    Ok(format!(
        "static NAMES: &[(&str, bool)] = &{:?};\nstatic PATTERNS: &[(&str, bool)] = &{:?};\n",
        names.into_iter().collect::<Vec<_>>(),
        patterns.into_iter().collect::<Vec<_>>()
    ))
}
