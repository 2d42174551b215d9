//! One search as a whole process, to be held against other programs: `search glob PATTERN ROOT`, `search content PATTERN ROOT [LIMIT]`,
//! `search files PATTERN ROOT [LIMIT]`, `search count PATTERN ROOT [LIMIT]`; a `-i` before the pattern ignores case. No limit is 0.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use engine_runtime::search::{GlobRequest, GrepRequest, OutputMode, glob, grep};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let ignore_case = words
        .iter()
        .position(|word| word == "-i")
        .map(|at| words.remove(at))
        .is_some();
    let [what, pattern, root, limit @ ..] = words.as_slice() else {
        return Err("usage: search glob|content|files|count [-i] PATTERN ROOT [LIMIT]".into());
    };
    let root = PathBuf::from(root).canonicalize()?;
    let never = AtomicBool::new(false);
    let mode = match what.as_str() {
        "glob" => {
            let answer = glob(&GlobRequest::new(pattern), &root, &|_| true, &never)?;
            writeln!(io::stdout(), "{}", answer.text())?;
            return Ok(());
        }
        "content" => OutputMode::Content,
        "files" => OutputMode::FilesWithMatches,
        "count" => OutputMode::Count,
        other => return Err(format!("`{other}` is no search").into()),
    };
    let head_limit = limit.first().map_or(Ok(0), |limit| limit.parse())?;
    let request = GrepRequest {
        mode,
        head_limit,
        ignore_case,
        ..GrepRequest::new(pattern)
    };
    writeln!(
        io::stdout(),
        "{}",
        grep(&request, &root, &|_| true, &never)?.text()
    )?;
    Ok(())
}
