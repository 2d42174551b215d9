//! Turns `tooldefs/clients/*.kdl` into tables of the binary: a hook has no time to read text. Every name is checked, so that a
//! misspelt one fails the build.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use kdl::{KdlDocument, KdlNode};

/// The tables as Rust, for `cli/src/hook/client.rs`.
pub(crate) fn tables(directory: &Path) -> Result<String, String> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "kdl"))
        .collect();
    files.sort();
    let mut out = String::from("/// Every client.\npub(crate) const CLIENTS: &[ClientData] = &[\n");
    for file in files {
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let table = KdlDocument::parse_v2(&text)
            .map_err(|error| format!("{error:?}"))
            .and_then(|document| client(&document))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        out.push_str(&table);
    }
    out.push_str("];\n");
    Ok(out)
}

fn client(document: &KdlDocument) -> Result<String, String> {
    let [node] = document.nodes() else {
        return Err("one client a file".to_owned());
    };
    let name = only(node)?;
    let nodes = node.children().map(KdlDocument::nodes).unwrap_or_default();
    let mut lists = [
        ("decides", Vec::new()),
        ("ran", Vec::new()),
        ("other", Vec::new()),
        ("project", Vec::new()),
        ("shell", Vec::new()),
        ("ignore", Vec::new()),
        ("says-all", Vec::new()),
        ("asks-itself", Vec::new()),
    ];
    let (mut own_names, mut takes_ask, mut mcp) = (false, false, "None".to_owned());
    let (mut modes, mut tools) = (String::new(), String::new());
    for node in nodes {
        let word = node.name().value();
        if let Some((_, list)) = lists.iter_mut().find(|(own, _)| *own == word) {
            list.extend(texts(node)?);
            continue;
        }
        match word {
            "own-names" => own_names = true,
            "takes-ask" => takes_ask = true,
            "mcp-context" => {
                mcp = format!(
                    "Some(McpContext {{ field: {:?}, prefix: {:?} }})",
                    only(node)?,
                    property(node, "prefix")?
                );
            }
            "mode" => {
                let _infallible = write!(modes, "({:?}, {:?}), ", only(node)?, property(node, "is")?);
            }
            "tool" => {
                for name in texts(node)? {
                    let _infallible = writeln!(tools, "        {},", tool(&name, node)?);
                }
            }
            other => return Err(format!("a client has no `{other}`")),
        }
    }
    let [decides, ran, other, project, shell, ignore, says_all, asks_itself] = lists.map(|(_, list)| list);
    Ok(format!(
        "    ClientData {{ name: {name:?}, decides: &{decides:?}, ran: &{ran:?}, other: &{other:?}, project: &{project:?}, \
         shells: &{shell:?}, ignored: &{ignore:?}, says_all: &{says_all:?}, asks_itself: &{asks_itself:?}, own_names: {own_names}, takes_ask: {takes_ask}, mcp: {mcp},\n      \
         modes: &[{modes}],\n      tools: &[\n{tools}      ] }},\n"
    ))
}

fn tool(name: &str, node: &KdlNode) -> Result<String, String> {
    let own = node
        .get("as")
        .and_then(|value| value.as_string())
        .unwrap_or_default();
    let mut fields = String::new();
    for field in node.children().map(KdlDocument::nodes).unwrap_or_default() {
        let from = texts(field)?;
        let to = field.get("to").and_then(|value| value.as_string());
        match (field.name().value(), to) {
            ("field", Some(to)) => write!(fields, "Field::Copy {{ from: &{from:?}, to: {to:?} }}, "),
            ("field", None) => from
                .iter()
                .try_for_each(|name| write!(fields, "Field::Copy {{ from: &[{name:?}], to: {name:?} }}, ")),
            ("value", None) => match from.as_slice() {
                [name, value] => write!(fields, "Field::Value {{ to: {name:?}, value: {value:?} }}, "),
                _ => return Err("`value` takes a field and a text".to_owned()),
            },
            ("addresses", Some(to)) => write!(fields, "Field::Addresses {{ from: &{from:?}, to: {to:?} }}, "),
            ("directory", None) => write!(fields, "Field::Directory {{ from: &{from:?} }}, "),
            ("patch", None) => write!(fields, "Field::Patch {{ from: &{from:?} }}, "),
            ("ignore", None) => write!(fields, "Field::Ignore {{ from: &{from:?} }}, "),
            (other, _) => return Err(format!("a tool has no `{other}` of this form")),
        }
        .map_err(|error| error.to_string())?;
    }
    Ok(format!(
        "ToolMap {{ name: {name:?}, tool: {own:?}, fields: &[{fields}] }}"
    ))
}

fn texts(node: &KdlNode) -> Result<Vec<String>, String> {
    let arguments = node.entries().iter().filter(|entry| entry.name().is_none());
    arguments
        .map(|entry| entry.value().as_string().map(str::to_owned))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| format!("`{}` takes texts", node.name().value()))
}

fn only(node: &KdlNode) -> Result<String, String> {
    match texts(node)?.as_slice() {
        [text] => Ok(text.clone()),
        _ => Err(format!("`{}` takes one text", node.name().value())),
    }
}

fn property(node: &KdlNode, name: &str) -> Result<String, String> {
    let value = node.get(name).and_then(|value| value.as_string());
    value
        .map(str::to_owned)
        .ok_or_else(|| format!("`{}` needs `{name}`", node.name().value()))
}
