#![doc = include_str!("../README.md")]

pub use toolwright_runtime::*;
