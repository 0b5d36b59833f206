//! What the pages of `docs/book/pages/migrate` show: each tool in another library and in Toolwright, with equal answers
//! and with the differences of the schemas that the page lists.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
// The pages show code of libraries.
#![allow(unreachable_pub)]

mod by_hand;
mod check;
mod fastmcp;
mod llm_tool;
mod pages;
mod pydantic_ai;
mod python;
mod rig;
mod rmcp;
mod shop;
mod swiftide;
