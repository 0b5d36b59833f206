//! What providers accept (`dialect`) and how they speak (`wire`).

pub(crate) mod dialect;
pub(crate) mod wire;
