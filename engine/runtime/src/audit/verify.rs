//! Reads a log from its beginning and says whether the chain holds.
//!
//! A verifier is given lines in order, across all files; what it found is complete only at [`Verifier::finish`].

use super::chain::{GENESIS, Sealed, sha256, unseal};

/// What breaks the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, in one line.
    pub what: String,
}

/// A line that was not written to its end, which the log itself says or which stands at its very end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Whether a later record speaks of it.
    pub continued: bool,
}

/// What a whole log is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Records whose hash is right.
    pub records: u64,
    /// Number of the first record; above 1 where earlier files are not here.
    pub first: u64,
    /// Number of the last record.
    pub last: u64,
    /// Its hash: whoever keeps it elsewhere can tell later that nothing was cut off.
    pub hash: String,
    /// What breaks the chain.
    pub problems: Vec<Problem>,
    /// What was torn and is accounted for.
    pub torn: Vec<Torn>,
}

/// Reads lines in order.
#[derive(Clone, Debug, Default)]
pub struct Verifier {
    so_far: Verified,
    /// What is no record, since the last one.
    junk: Vec<u8>,
    junk_at: Option<(String, usize)>,
    /// A hash that must be met.
    expected: Option<String>,
    met: bool,
}

impl Verifier {
    /// One that also demands a record with this hash.
    #[must_use]
    pub fn expecting(hash: Option<String>) -> Self {
        Self {
            expected: hash,
            ..Self::default()
        }
    }

    /// Takes the next line, with its newline if it has one. Returns the record, if it is one.
    pub fn line(&mut self, file: &str, number: usize, line: &[u8]) -> Option<Sealed> {
        let Some(sealed) = unseal(line.strip_suffix(b"\n").unwrap_or(line)) else {
            self.junk_at.get_or_insert_with(|| (file.to_owned(), number));
            self.junk.extend_from_slice(line);
            return None;
        };
        self.settle_junk(Some(&sealed));
        let is_first = self.so_far.records == 0;
        let mut problem = |what: String| {
            self.so_far.problems.push(Problem {
                file: file.to_owned(),
                line: number,
                what,
            });
        };
        if is_first {
            self.so_far.first = sealed.seq;
            if sealed.seq == 1 && sealed.prev != GENESIS {
                problem("the first record names a record before it".to_owned());
            }
        } else if sealed.prev != self.so_far.hash {
            problem(format!(
                "record {} does not follow record {}: something before it was changed, taken out or added",
                sealed.seq, self.so_far.last
            ));
        } else if sealed.seq != self.so_far.last + 1 {
            problem(format!(
                "record {} stands where {} is due",
                sealed.seq,
                self.so_far.last + 1
            ));
        }
        self.so_far.records += 1;
        self.so_far.last = sealed.seq;
        self.so_far.hash.clone_from(&sealed.hash);
        self.met |= self.expected.as_ref() == Some(&sealed.hash);
        Some(sealed)
    }

    /// What stood between two records must be what the later one says was skipped.
    fn settle_junk(&mut self, next: Option<&Sealed>) {
        let junk = std::mem::take(&mut self.junk);
        let at = self.junk_at.take();
        let says = next.and_then(|next| {
            let bytes = next.json.get("skipped_bytes")?.as_u64()?;
            Some((bytes, next.json.get("skipped_digest")?.as_str()?.to_owned()))
        });
        let (Some((file, line)), false) = (at, junk.is_empty()) else {
            return;
        };
        // The one who went on has ended the line first.
        let as_found = [junk.as_slice(), junk.strip_suffix(b"\n").unwrap_or(&junk)];
        let accounted = match (next, &says) {
            (Some(_), Some((bytes, digest))) => as_found
                .iter()
                .any(|own| own.len() as u64 == *bytes && sha256(own) == *digest),
            (Some(_), None) => false,
            // The very end: nobody has gone on yet.
            (None, _) => !junk.contains(&b'\n'),
        };
        if accounted {
            self.so_far.torn.push(Torn {
                file,
                line,
                continued: next.is_some(),
            });
        } else {
            self.so_far.problems.push(Problem {
                file,
                line,
                what: "this is no record, or was changed".to_owned(),
            });
        }
    }

    /// What the whole log is.
    #[must_use]
    pub fn finish(mut self) -> Verified {
        self.settle_junk(None);
        if let (Some(hash), false) = (&self.expected, self.met) {
            self.so_far.problems.push(Problem {
                file: String::new(),
                line: 0,
                what: format!(
                    "no record has the hash {hash}: the end of the log was cut off, or it is another log"
                ),
            });
        }
        self.so_far
    }
}
