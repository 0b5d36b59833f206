//! Names of the user that generated code might confuse with its own.
#![deny(warnings)]
#![allow(non_upper_case_globals, non_camel_case_types, dead_code)]

use toolwright::{tool, tools};

struct Option;
struct Result;
struct Some;
struct None;
struct Ok;
struct Err;
struct Vec;
struct String;
struct Box;
struct Default;
mod core {}
mod std {}
mod toolwright_runtime {}
#[allow(unused_macros)]
macro_rules! vec {
    () => {};
}

const value: i64 = 7;

/// Take names that the expansion uses.
#[tool]
fn take(
    state: i64,
    call: i64,
    #[arg(default = value)] given: i64,
    error: i64,
    p0: i64,
    p1: i64,
    check: i64,
    __tool: i64,
    context: i64,
    #[context] cx: &toolwright::Context,
) -> i64 {
    let _ = cx;
    state + call + given + error + p0 + p1 + check + __tool + context
}

/// A function that is called as ours are.
#[tool]
fn decode(slot: i64) -> i64 {
    slot
}

/// Another.
#[tool]
fn call(tools: i64) -> i64 {
    tools
}

/// The same names as macros have.
#[tool]
fn file(line: u8) -> u8 {
    line
}

/// Unit structs, as the columns of a table are, would be taken for patterns.
mod columns {
    use toolwright::{tool, tools};

    pub struct call;
    pub struct check;
    pub struct error;
    pub struct given;
    pub struct p0;
    pub struct p1;
    pub struct state;
    pub struct value;

    fn is_small(a: &i64, _: &str) -> std::result::Result<(), std::string::String> {
        if *a < 10 {
            Ok(())
        } else {
            Err("too big".into())
        }
    }

    /// Select.
    #[tool(validate = is_small)]
    async fn select(
        #[arg(default = 3)] a: i64,
        b: &str,
    ) -> std::result::Result<i64, std::string::String> {
        Ok(a + b.parse::<i64>().map_err(|_| "no number")?)
    }

    pub fn count() -> usize {
        tools![select; state = state].iter().len()
    }
}

/// The same in a derive.
mod derived {
    use toolwright::{Provide, Schema};

    pub struct generator;
    pub struct error;
    pub const value: i64 = 7;
    struct Option;
    struct String;
    mod core {}
    mod std {}
    #[allow(unused_macros)]
    macro_rules! stringify {
        () => {};
    }
    #[allow(unused_macros)]
    macro_rules! concat {
        () => {};
    }

    fn seven() -> i64 {
        value
    }

    #[derive(serde::Serialize, serde::Deserialize, Schema)]
    pub struct OfFields {
        #[serde(default = "seven")]
        #[schema(example = value, range(1..=9))]
        a: i64,
        #[serde(default)]
        b: u8,
    }

    #[derive(serde::Serialize, serde::Deserialize, Default, Schema, Provide)]
    #[serde(default)]
    #[schema(json_schema)]
    pub struct OfAll {
        a: i64,
        b: u8,
    }

    #[derive(serde::Serialize, serde::Deserialize, Schema)]
    pub enum Named {
        error,
        Some,
        None { a: u8 },
    }
}

/// A trait of all types, whose methods and constants are found on ours too.
mod extended {
    use toolwright::{Context, Schema, tool, tools};

    pub trait All: Sized {
        const SHAPE: u8 = 0;
        const REFS: u8 = 0;
        const NAME: u8 = 0;
        const NAMES: u8 = 0;
        const NEW: u8 = 0;
        const EMPTY: u8 = 0;
        fn slot(&self) {}
        fn find(&self) {}
        fn split(self) {}
        fn way(&self) {}
        fn error(&self) {}
        fn json(&self) {}
        fn given(&self) {}
        fn share(self) {}
        fn provide(&self) {}
        fn push(&self) {}
        fn run(&self) {}
    }
    impl<T> All for T {}

    #[derive(serde::Serialize, serde::Deserialize, Schema)]
    pub struct Own {
        #[serde(default)]
        a: Option<u8>,
        b: Vec<Own>,
    }

    #[derive(Debug)]
    pub struct Broken;

    impl std::fmt::Display for Broken {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("broken")
        }
    }

    fn is_any(_: &Own, _: Option<&Own>, _: &u8) -> Result<(), Broken> {
        Ok(())
    }

    /// Take all.
    #[tool(validate = is_any)]
    fn take(
        own: Own,
        more: Option<&Own>,
        #[arg(default = 3)] count: u8,
        #[state] state: &u32,
    ) -> Result<Own, Broken> {
        let _ = (more, count, state);
        Ok(own)
    }

    /// Take later.
    #[tool]
    async fn later(own: Own, #[context] cx: &Context) -> Own {
        let _ = cx;
        own
    }

    struct Host;

    #[tool]
    impl Host {
        /// Take as a method.
        #[tool]
        fn method(&self, own: &[Own]) -> usize {
            own.len()
        }
    }

    pub fn count() -> usize {
        tools![take, later, ..Host: Host; state = 3_u32]
            .iter()
            .len()
    }
}

/// Take what derives.
#[tool]
fn take_derived(a: derived::OfFields, b: derived::OfAll, c: derived::Named) {
    let _ = (a, b, c);
}

#[test]
fn runs() {
    assert_eq!(tools![take_derived].iter().len(), 1);
    assert_eq!(columns::count(), 1);
    assert_eq!(extended::count(), 3);
    let state = 1;
    let tools = tools![take, decode, call, file; state = state];
    assert_eq!(tools.iter().len(), 4);
}
