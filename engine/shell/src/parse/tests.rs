//! Tests of the strict parser.
