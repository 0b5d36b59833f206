#![doc = include_str!("../README.md")]

mod from_rig;
mod output;
mod to_rig;

pub use self::from_rig::{from_dynamic_tool, from_tool};
pub use self::to_rig::RigTools;
