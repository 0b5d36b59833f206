//! The tests of this package, a module each.

mod choice;
mod conformance;
