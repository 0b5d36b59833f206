//! Tests of `tests/it`, in this build.

mod features;

#[path = "../../../it/arguments/mod.rs"]
mod arguments;
#[path = "../../../it/definition_bytes.rs"]
mod definition_bytes;
#[path = "../../../it/definitions.rs"]
mod definitions;
// Of it, these tests use a part.
#[allow(dead_code)]
#[path = "../../../it/json.rs"]
mod json;
#[path = "../../../it/results.rs"]
mod results;
#[path = "../../../it/wire_anthropic.rs"]
mod wire_anthropic;
#[path = "../../../it/wire_openai.rs"]
mod wire_openai;
