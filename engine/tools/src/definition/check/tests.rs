//! Facts about checks of definitions.
