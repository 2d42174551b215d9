//! Writes the seeds of the fuzz targets into `fuzz/corpus`, from everyday commands and the fixtures.

use std::fs;
use std::io;
use std::path::Path;

use engine_properties::{everyday_commands, fixture_commands, fixture_policies};

fn main() -> io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut commands: Vec<String> = everyday_commands().into_iter().map(str::to_owned).collect();
    commands.extend(fixture_commands());
    let policies = fixture_policies();
    let calls: Vec<String> = commands
        .iter()
        .zip(policies.iter().cycle())
        .map(|(command, policy)| format!("{policy}\0{command}"))
        .collect();
    for (target, seeds) in [("shell", &commands), ("policy", &policies), ("decide", &calls)] {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), seed)?;
        }
    }
    Ok(())
}
