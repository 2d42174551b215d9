//! Facts about inputs.
