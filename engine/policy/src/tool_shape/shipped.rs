//! The shipped tools, as the build takes them from their definitions.

use super::{Absent, Effects, FieldShape, Role, ToolShape, Trees};

include!(concat!(env!("OUT_DIR"), "/tools.rs"));
