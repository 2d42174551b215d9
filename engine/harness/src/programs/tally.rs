//! Counts what came of a campaign, for each program, and says whether it is enough.

use std::io::{self, Write};

use super::select::Selection;
use super::{Campaign, Exercised};

/// Compared command lines that touched something, from which on the effects of a program count as held against reality.
const ENOUGH: usize = 5;

/// Counts of one program.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    ran: usize,
    compared: usize,
    touching: usize,
    readonly: usize,
    violations: usize,
}

/// All counts.
#[derive(Debug, Default)]
pub(super) struct Tally {
    programs: Vec<Counts>,
    refused: usize,
    touches: usize,
    unannounced: usize,
    changed: usize,
    shown: usize,
}

impl Tally {
    /// Counts what came of the next program.
    pub(super) fn add(&mut self, exercised: &Exercised) {
        let mut counts = Counts::default();
        for result in &exercised.results {
            let compared = result.traced && result.line.said.is_some();
            counts.ran += 1;
            counts.compared += usize::from(compared);
            counts.touching += usize::from(compared && result.touched > 0);
            counts.readonly += usize::from(result.traced && result.line.readonly);
            counts.violations += usize::from(result.violates());
            self.touches += result.touched;
            self.unannounced += usize::from(!result.unannounced.is_empty());
            self.changed += usize::from(!result.changed.is_empty());
        }
        self.refused += exercised.refused;
        self.programs.push(counts);
    }

    /// Whether one more violation is to be shown.
    pub(super) fn shown(&mut self, most: usize) -> bool {
        self.shown += 1;
        self.shown <= most
    }

    fn total(&self, of: impl Fn(&Counts) -> usize) -> usize {
        self.programs.iter().map(of).sum()
    }

    fn with_enough(&self, of: impl Fn(&Counts) -> usize) -> usize {
        self.programs.iter().filter(|counts| of(counts) >= ENOUGH).count()
    }

    /// Writes the numbers; says whether everything was announced and enough was seen.
    pub(super) fn write(
        &self,
        out: &mut impl Write,
        selection: &Selection,
        campaign: Campaign<'_>,
    ) -> io::Result<bool> {
        let exercised = self.with_enough(|counts| counts.touching);
        writeln!(
            out,
            "programs: {} of {} definitions installed, {} command lines ran ({} composed ones refused), {} compared, {} touches checked, {} violations",
            selection.programs.len(),
            selection.definitions,
            self.total(|counts| counts.ran),
            self.refused,
            self.total(|counts| counts.compared),
            self.touches,
            self.unannounced,
        )?;
        writeln!(
            out,
            "  {exercised} programs with {ENOUGH} or more compared command lines that touched something, {} with {ENOUGH} or more compared",
            self.with_enough(|counts| counts.compared),
        )?;
        writeln!(
            out,
            "  {} command lines that builtin:readonly allows ran ({} programs), {} wrote, deleted or connected",
            self.total(|counts| counts.readonly),
            self.programs.iter().filter(|counts| counts.readonly > 0).count(),
            self.changed,
        )?;
        for (program, counts) in selection.programs.iter().zip(&self.programs) {
            let name = &program.name;
            if campaign.each || counts.violations > 0 {
                writeln!(
                    out,
                    "  {name}: {} ran, {} compared, {} touching, {} allowed as reading only, {} violations",
                    counts.ran, counts.compared, counts.touching, counts.readonly, counts.violations
                )?;
            }
        }
        if exercised < campaign.least {
            writeln!(
                out,
                "programs: TOO FEW: {exercised} were held against real effects, {} are wanted; not installed: {}",
                campaign.least,
                selection.absent.join(" ")
            )?;
        }
        Ok(self.total(|counts| counts.violations) == 0 && exercised >= campaign.least)
    }
}
