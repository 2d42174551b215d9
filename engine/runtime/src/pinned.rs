//! A world that remembers where paths led while a call was decided, so that the call is carried out there and nowhere else.
//!
//! Invariant (one answer): within one decision a path leads to one place; who carries the call out asks here, not the disk again.

use std::cell::RefCell;
use std::collections::HashMap;

use engine_policy::{Entry, Look, World};

/// A world whose answers about real paths are kept.
pub(crate) struct Pinned<'w> {
    world: &'w dyn World,
    real: RefCell<HashMap<String, Option<String>>>,
}

impl<'w> Pinned<'w> {
    pub(crate) fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            real: RefCell::default(),
        }
    }
}

impl World for Pinned<'_> {
    fn real_path(&self, path: &str) -> Option<String> {
        if let Some(known) = self.real.borrow().get(path) {
            return known.clone();
        }
        let real = self.world.real_path(path);
        self.real.borrow_mut().insert(path.to_owned(), real.clone());
        real
    }

    fn real_place(&self, path: &str) -> Option<String> {
        self.world.real_place(path)
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        self.world.is_directory(path)
    }

    fn small_file(&self, path: &str) -> Option<String> {
        self.world.small_file(path)
    }

    fn look_below(&self, root: &str, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
        self.world.look_below(root, visit)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use engine_policy::{Entry, Look, World};

    use super::Pinned;

    /// Every look leads somewhere else.
    struct Moving(Cell<u32>);

    impl World for Moving {
        fn real_path(&self, path: &str) -> Option<String> {
            self.0.set(self.0.get() + 1);
            Some(format!("{path}-{}", self.0.get()))
        }

        fn is_directory(&self, _path: &str) -> Option<bool> {
            None
        }

        fn small_file(&self, _path: &str) -> Option<String> {
            None
        }

        fn look_below(&self, _root: &str, _visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
            false
        }
    }

    #[test]
    fn a_path_leads_to_one_place_while_a_call_is_decided() {
        let moving = Moving(Cell::new(0));
        let pinned = Pinned::new(&moving);
        assert_eq!(pinned.real_path("/a").as_deref(), Some("/a-1"));
        assert_eq!(pinned.real_path("/b").as_deref(), Some("/b-2"));
        assert_eq!(pinned.real_path("/a").as_deref(), Some("/a-1"));
    }
}
