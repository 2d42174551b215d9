//! Facts about templates.
