//! Facts about schemas.
