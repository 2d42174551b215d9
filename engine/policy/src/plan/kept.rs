//! Parts of a plan that are kept as bytes until they are asked for, so that reading a plan back costs little more than finding
//! where they stand. What is read back stays in the bytes that were read, which therefore last as long as the program.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes: own ones, or those that a plan was read back from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bytes(Cow<'static, [u8]>);

impl Bytes {
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.0.to_mut().extend_from_slice(bytes);
    }

    pub(super) fn all(&self) -> &[u8] {
        &self.0
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de: 'static> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes: &'de [u8] = serde_bytes::deserialize(deserializer)?;
        Ok(Self(Cow::Borrowed(bytes)))
    }
}

/// Numbers in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Row(Bytes);

impl Row {
    pub(crate) fn push(&mut self, number: u32) {
        self.0.extend(&number.to_le_bytes());
    }

    pub(crate) fn get(&self, at: usize) -> Option<u32> {
        let start = at.checked_mul(size_of::<u32>())?;
        let (bytes, _) = self.0.all().get(start..)?.split_first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    /// Several numbers in a row, with one look.
    pub(super) fn run<const N: usize>(&self, at: usize) -> Option<[u32; N]> {
        let start = at.checked_mul(size_of::<u32>())?;
        let (numbers, _) = self.0.all().get(start..)?.as_chunks();
        Some(numbers.first_chunk::<N>()?.map(u32::from_le_bytes))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.all().len() / size_of::<u32>()
    }
}

impl FromIterator<u32> for Row {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut row = Self::default();
        for number in numbers {
            row.push(number);
        }
        row
    }
}

/// A number as a row holds it. A plan holds far fewer than four thousand million things: its text is at most some megabytes.
pub(crate) fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A list whose items are decoded when they are first asked for.
#[derive(Clone, Debug)]
pub(crate) struct Kept<T> {
    stored: Stored,
    items: Box<[OnceLock<Option<Box<T>>>]>,
}

/// What a list is written as.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Stored {
    /// Where each item ends in `bytes`.
    ends: Row,
    bytes: Bytes,
}

impl<T> From<Stored> for Kept<T> {
    fn from(stored: Stored) -> Self {
        let items = std::iter::repeat_with(OnceLock::new)
            .take(stored.ends.len())
            .collect();
        Self { stored, items }
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Stored::default().into()
    }
}

impl<T: Serialize + DeserializeOwned> Kept<T> {
    /// Keeps items; `None` if one of them cannot be written.
    pub(crate) fn new<'a>(items: impl IntoIterator<Item = &'a T>) -> Option<Self>
    where
        T: 'a,
    {
        let (mut ends, mut bytes) = (Row::default(), Vec::new());
        for item in items {
            bytes = postcard::to_extend(item, bytes).ok()?;
            ends.push(number(bytes.len()));
        }
        let bytes = Bytes(Cow::Owned(bytes));
        Some(Stored { ends, bytes }.into())
    }

    /// One item. `None` if there is none, or if its bytes were not written by this build.
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.items
            .get(at)?
            .get_or_init(|| {
                let start = match at.checked_sub(1) {
                    Some(before) => self.stored.ends.get(before)?,
                    None => 0,
                };
                let end = self.stored.ends.get(at)?;
                let bytes = self.stored.bytes.all().get(start as usize..end as usize)?;
                postcard::from_bytes(bytes).ok().map(Box::new)
            })
            .as_deref()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// All items.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

impl<T> Serialize for Kept<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored.serialize(serializer)
    }
}

impl<'de: 'static, T> Deserialize<'de> for Kept<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Stored::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, Row};

    #[test]
    fn items_come_back_from_their_bytes() {
        let texts = ["one".to_owned(), String::new(), "three".to_owned()];
        let kept = Kept::new(&texts).unwrap();
        let bytes = postcard::to_allocvec(&kept).unwrap().leak();
        let back: Kept<String> = postcard::from_bytes(bytes).unwrap();
        assert_eq!(back.iter().cloned().collect::<Vec<_>>(), texts);
        assert_eq!(back.get(3), None);
        assert_eq!(back.len(), 3);
    }

    #[test]
    fn numbers_stand_in_their_row() {
        let row: Row = [7, u32::MAX, 0].into_iter().collect();
        assert_eq!(
            (row.get(1), row.get(2), row.get(3)),
            (Some(u32::MAX), Some(0), None)
        );
        assert_eq!(row.len(), 3);
        assert_eq!(row.run(1), Some([u32::MAX, 0]));
        assert_eq!(row.run::<3>(1), None);
    }
}
