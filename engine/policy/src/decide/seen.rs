//! What one decision has seen of the file system, so that nothing is asked for twice.
//!
//! Invariant (one decision): it is made for a decision and goes with it, since what stands on the disk changes from call to call.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::facts::{Entry, Kind, Look, World};

/// Answers of one sort that are remembered; a text with more paths asks again.
const MAX_ANSWERS: usize = 1024;

/// A world that remembers its answers.
pub(super) struct Seen<'w> {
    world: &'w dyn World,
    kinds: RefCell<FxHashMap<SmolStr, Kind>>,
    real: RefCell<FxHashMap<SmolStr, String>>,
    /// Roots below which nothing stands.
    bare: RefCell<FxHashSet<SmolStr>>,
}

impl<'w> Seen<'w> {
    pub(super) fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            kinds: RefCell::default(),
            real: RefCell::default(),
            bare: RefCell::default(),
        }
    }
}

fn remember<V>(answers: &RefCell<FxHashMap<SmolStr, V>>, path: &str, value: V) {
    let mut answers = answers.borrow_mut();
    if answers.len() < MAX_ANSWERS {
        answers.insert(path.into(), value);
    }
}

impl World for Seen<'_> {
    fn real_path(&self, path: &str) -> Option<String> {
        if let Some(real) = self.real.borrow().get(path) {
            return Some(real.clone());
        }
        let real = self.world.real_path(path)?;
        remember(&self.real, path, real.clone());
        Some(real)
    }

    fn real_place(&self, path: &str) -> Option<String> {
        self.world.real_place(path)
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        match self.kind(path) {
            Kind::Directory => Some(true),
            Kind::Other => Some(false),
            Kind::Missing | Kind::Unknown => None,
        }
    }

    fn kind(&self, path: &str) -> Kind {
        if let Some(kind) = self.kinds.borrow().get(path) {
            return *kind;
        }
        let kind = self.world.kind(path);
        if kind != Kind::Unknown {
            remember(&self.kinds, path, kind);
        }
        kind
    }

    fn small_file(&self, path: &str) -> Option<String> {
        self.world.small_file(path)
    }

    fn look_below(&self, root: &str, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
        if self.bare.borrow().contains(root) {
            return true;
        }
        let mut any = false;
        let all = self.world.look_below(root, &mut |entry| {
            any = true;
            visit(entry)
        });
        if all && !any {
            let mut bare = self.bare.borrow_mut();
            if bare.len() < MAX_ANSWERS {
                bare.insert(root.into());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::Seen;
    use crate::facts::{Entry, Kind, Look, World};

    /// Counts what it is asked; `/p/d` is a directory with one file, and nothing else is there.
    #[derive(Default)]
    struct Counted(Cell<usize>);

    impl Counted {
        fn asked(&self) {
            self.0.set(self.0.get() + 1);
        }
    }

    impl World for Counted {
        fn real_path(&self, path: &str) -> Option<String> {
            self.asked();
            Some(format!("/real{path}"))
        }

        fn is_directory(&self, path: &str) -> Option<bool> {
            self.asked();
            (path == "/p/d").then_some(true)
        }

        fn kind(&self, path: &str) -> Kind {
            match self.is_directory(path) {
                Some(_) => Kind::Directory,
                None => Kind::Missing,
            }
        }

        fn small_file(&self, _path: &str) -> Option<String> {
            self.asked();
            None
        }

        fn look_below(&self, root: &str, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
            self.asked();
            if root == "/p/d" {
                let _next = visit(Entry {
                    path: "/p/d/f",
                    is_link: false,
                });
            }
            true
        }
    }

    #[test]
    fn answers_are_asked_for_once() {
        let world = Counted::default();
        let seen = Seen::new(&world);
        for _ in 0..2 {
            assert_eq!(seen.real_path("/p/x").as_deref(), Some("/real/p/x"));
            assert_eq!(seen.kind("/p/d"), Kind::Directory);
            assert_eq!(seen.is_directory("/p/d"), Some(true));
            assert_eq!(seen.is_directory("/p/x"), None);
            assert!(seen.look_below("/p/x", &mut |_| Look::Into));
        }
        assert_eq!(world.0.get(), 4);
    }

    #[test]
    fn what_stands_below_a_directory_is_shown_every_time() {
        let world = Counted::default();
        let seen = Seen::new(&world);
        let mut shown = 0;
        for _ in 0..2 {
            assert!(seen.look_below("/p/d", &mut |_| {
                shown += 1;
                Look::Into
            }));
        }
        assert_eq!(shown, 2);
    }
}
