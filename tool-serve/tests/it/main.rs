//! The tests of what is outside, in one program.

mod http;
