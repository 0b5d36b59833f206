//! What a call's arguments may be, what a tool gets, and what the model is told otherwise.
// A tool takes its arguments by value, whether it consumes them or not.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

mod borrowed;
mod bounds;
mod buffered;
mod faults;
mod repairs;
mod strict;
mod tag_order;
mod values;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolwright::{
    Context, Encoder, Schema, ToolCall, ToolError, Toolset, args::Arena, call::Call, tool,
};

/// Answers with what it got.
#[tool]
pub(crate) fn echo<T: Schema + DeserializeOwned + Serialize>(v: T) -> T {
    v
}

/// What `echo` of a type answers to `{"v": …}`, as JSON, or what the model is told.
macro_rules! echoed {
    ($ty:ty, $json:expr) => {{
        let tools = toolwright::tools![crate::arguments::echo::<$ty> as "echo"];
        crate::arguments::answer(&tools, "echo", &format!(r#"{{"v": {}}}"#, $json))
    }};
}
pub(crate) use echoed;

/// Compares what `echo` answers, row by row: `type, json, Ok(json)` or `Err(told)`.
macro_rules! echo_rows {
    ($($ty:ty, $json:expr, $expected:expr;)*) => {{
        let rows: Vec<(&str, String, Result<String, String>)> = vec![
            $((stringify!($ty), $json.to_string(), crate::arguments::echoed!($ty, $json)),)*
        ];
        let expected: Vec<(&str, String, Result<String, String>)> = vec![
            $((stringify!($ty), $json.to_string(), crate::arguments::owned($expected)),)*
        ];
        crate::arguments::pretty_rows(&rows, &expected);
    }};
}
use echo_rows;

pub(crate) fn owned(expected: Result<&str, &str>) -> Result<String, String> {
    expected.map(str::to_owned).map_err(str::to_owned)
}

pub(crate) type Row<'a> = (&'a str, String, Result<String, String>);

/// All rows that differ, since one alone rarely tells why.
#[track_caller]
pub(crate) fn pretty_rows(rows: &[Row<'_>], expected: &[Row<'_>]) {
    let differ: Vec<_> = rows
        .iter()
        .zip(expected)
        .filter(|(row, expected)| row != expected)
        .map(|(row, expected)| format!("{row:?}\n  expected {:?}\n", expected.2))
        .collect();
    assert!(differ.is_empty(), "\n{}", differ.join(""));
}

/// What a tool answers, as JSON, or what the model is told.
pub(crate) fn answer(tools: &Toolset, tool: &str, arguments: &str) -> Result<String, String> {
    let cx = Context::new().with_repairs(toolwright::args::Repairs::None);
    let result = tools.call_blocking(&ToolCall::new("c1", tool, arguments), &cx);
    match &result.outcome {
        Ok(_) => Ok(result.content(Encoder::json()).into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The arguments as a `T`.
fn decode<T: Schema + DeserializeOwned>(arguments: &str) -> Result<T, ToolError> {
    Call::new(arguments, &Arena::new(), &Context::new()).decode()
}

/// A schema by hand, for types that the derive does not take yet.
macro_rules! any_schema {
    ($($ty:ty),*) => {$(
        impl toolwright::Schema for $ty {
            const SHAPE: &'static toolwright::schema::Shape<'static> =
                &toolwright::schema::Shape::new(toolwright::schema::Kind::Any);
        }
    )*};
}
use any_schema;
