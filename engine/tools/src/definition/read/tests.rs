//! Facts about reading definitions.
