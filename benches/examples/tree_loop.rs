//! The yardstick of `stdin.sh`: parses each line of standard input with tree-sitter-bash and prints how many have an error.

use std::io::{self, BufRead as _, Write as _};

use engine_benches::tree_parser;

fn main() -> io::Result<()> {
    let mut parser = tree_parser().ok_or_else(|| io::Error::other("the grammar does not load"))?;
    let mut input = io::stdin().lock();
    let (mut line, mut lines, mut wrong) = (Vec::new(), 0usize, 0usize);
    loop {
        line.clear();
        // The newline stays: without it tree-sitter-bash may fall into error recovery.
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        lines += 1;
        wrong += usize::from(
            parser
                .parse(&line, None)
                .is_none_or(|tree| tree.root_node().has_error()),
        );
    }
    writeln!(io::stdout(), "{lines} lines, {wrong} with an error")
}
