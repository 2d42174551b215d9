//! Home of the benches in `benches/`; it has no code of its own.
