#![doc = include_str!("../README.md")]

mod outcome;
mod peer_tools;
mod server;

pub use self::peer_tools::{PeerTools, RefusedTool, toolset_of};
pub use self::server::ToolsetRouter;
