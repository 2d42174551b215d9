//! Records as log records of OpenTelemetry, in the JSON form of its protocol, one export request a line: the form that a collector's
//! file receiver reads. Built in with the feature `otel`.

#[cfg(feature = "otel")]
mod on;
#[cfg(not(feature = "otel"))]
#[path = "otlp/off.rs"]
mod on;

pub use on::{IS_BUILT_IN, otlp_line};
