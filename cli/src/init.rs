//! `engine init`: looks at a project and writes a first policy for it, with tests that pass.
//!
//! Invariant (nothing untested): what is written was compiled, and all of its tests ran and passed, before a file is touched.
//! Invariant (names are data): whatever comes from the project is put into the policy only as far as it is plain, and quoted.

mod ci;
mod kinds;
mod survey;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use engine_policy::read::Format as Spelling;
use engine_policy::{Layer, LayerRoot, Root, TestResult, load, load_layers, run_tests};

use crate::check::Start;
use crate::exit::Exit;
use crate::out::{self, visible};
use crate::policies::{self, DiskFiles, Trusted};
use crate::replace::{self, Kept};
use crate::world::NO_PROJECT;

/// Looks at a project and writes a policy for it, with tests that pass
///
/// It finds languages, scripts and what continuous integration runs, and writes `.engine/policy.kdl`: what the project's tools may do on
/// top of the shipped `builtin:base`, explained in comments. The new file is trusted as it is, since it was you who asked for it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Init {
    /// A directory of the project; without it, the current one
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    directory: Option<String>,

    /// Prints the policy and writes nothing
    #[arg(long)]
    print: bool,

    /// Replaces a policy that is there already
    #[arg(long, conflicts_with = "print")]
    force: bool,

    /// Does not trust the new file
    #[arg(long)]
    no_trust: bool,
}

const EXAMPLES: &str = "Examples:
  engine init            writes .engine/policy.kdl
  engine init --print    shows what it would write";

impl Init {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let start = Start::of(self.directory.as_deref())?;
        if start.project == NO_PROJECT {
            out::complain(&format!(
                "engine: {} is no project: `engine init` writes in the directory of one\n",
                visible(&start.directory)
            ));
            return Err(Exit::Usage);
        }
        let project = Path::new(&start.project);
        let target = project.join(".engine").join("policy.kdl");
        if !self.print && !self.force && fs::symlink_metadata(&target).is_ok() {
            out::complain(&format!(
                "engine: {} is there already; `--print` shows what would be written, `--force` replaces it\n",
                visible(&target.to_string_lossy())
            ));
            return Err(Exit::Usage);
        }
        // Whoever wrote the project may have it lead to the person's own policies.
        let directory = project.join(".engine");
        if fs::symlink_metadata(&directory).is_ok_and(|data| data.is_symlink()) {
            out::complain(&format!(
                "engine: {} is a link, so nothing is written there; remove it first\n",
                visible(&directory.to_string_lossy())
            ));
            return Err(Exit::Usage);
        }
        policies::report_misplaced(&start.project);
        let survey = survey::look(project).map_err(|why| {
            out::complain(&format!(
                "engine: cannot look at {}: {why}\n",
                visible(&start.project)
            ));
            Exit::Machine
        })?;
        let mut policy = text::policy(&survey, &[]);
        let commands = ci::commands(project);
        if !commands.is_empty() {
            let decided = ci::decide(&policy, &commands);
            policy = text::policy(&survey, &decided);
        }
        let count = hold(&policy)?;
        if self.print {
            out::print(&policy);
            return Ok(Exit::Fine);
        }
        let written = fs::create_dir_all(&directory)
            .and_then(|()| replace::put(&target, policy.as_bytes(), 0o644, Kept::Always));
        written.map_err(|why| {
            out::complain(&format!(
                "engine: cannot write {}: {why}\n",
                visible(&target.to_string_lossy())
            ));
            Exit::Machine
        })?;
        let trusted = !self.no_trust && trust(&start.project, &target);
        out::print(&visible(&report(&survey, &start.project, count, trusted)));
        Ok(Exit::Fine)
    }
}

/// Compiles a policy and runs its tests; returns how many there are. What does not hold is the engine's own fault.
fn hold(policy: &str) -> Result<usize, Exit> {
    let root = Root::Text {
        name: "policy.kdl".to_owned(),
        text: policy.to_owned(),
        format: Spelling::Kdl,
    };
    let mut loaded = load(&[root], &DiskFiles);
    let plan = loaded.compile();
    policies::report(&loaded.diagnostics, &loaded.sources);
    let plan = plan.ok_or(Exit::Internal)?;
    let own = loaded
        .documents
        .last()
        .map(std::slice::from_ref)
        .unwrap_or_default();
    let results = run_tests(&plan, own);
    let failed: Vec<&TestResult> = results.iter().filter(|result| !result.passed).collect();
    for result in &failed {
        out::complain(&format!(
            "engine: the test `{}` of the new policy does not hold; nothing was written\n",
            visible(&result.call)
        ));
    }
    if failed.is_empty() {
        Ok(results.len())
    } else {
        Err(Exit::Internal)
    }
}

/// Records trust in the file that was written, as it is on disk now.
fn trust(project: &str, target: &Path) -> bool {
    let Some(file) = target.to_str() else { return false };
    let root = LayerRoot {
        layer: Layer::Project,
        root: Root::File(file.to_owned()),
        files: &DiskFiles,
        within: Some(project.to_owned()),
    };
    let loaded = load_layers(&[root], &|_, _| true);
    let layer = loaded
        .layers
        .iter()
        .find(|layer| layer.standing.layer == Layer::Project);
    layer.is_some_and(|layer| {
        let name = Trusted::name(project, Layer::Project, &layer.digest);
        match Trusted::of_person(project).add(&name, project, Layer::Project, &[file.to_owned()]) {
            Ok(()) => true,
            Err(why) => {
                out::complain(&format!("engine: {}\n", visible(&why)));
                false
            }
        }
    })
}

fn report(survey: &survey::Survey, project: &str, tests: usize, trusted: bool) -> String {
    let kinds: Vec<&str> = survey.kinds.iter().map(|kind| kind.name.as_str()).collect();
    let found = if kinds.is_empty() {
        "no kind of project that it knows".to_owned()
    } else {
        kinds.join(", ")
    };
    let trust = if trusted {
        "It is trusted as it is; after a change, run `engine trust` again.\n"
    } else {
        "Until you run `engine trust`, it can only tighten.\n"
    };
    format!(
        "found {found}\nwrote {}, with {}\n{trust}\nNext:\n  engine check 'git push'   what becomes of a command, and why\n  \
         engine test               runs the tests of the policy\n  engine check              looks for mistakes after you change it\n",
        PathBuf::from(project).join(".engine/policy.kdl").display(),
        match tests {
            1 => "1 test that passes".to_owned(),
            _ => format!("{tests} tests that pass"),
        }
    )
}
