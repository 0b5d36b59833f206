//! The tests of this package, a module each.

mod conformance;
