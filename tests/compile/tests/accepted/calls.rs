#![deny(warnings, missing_docs, unreachable_pub, private_interfaces)]
//! Structs of arguments.

use std::borrow::Cow;

use toolwright::{Context, tool, tools};

macro_rules! adds {
    ($name:ident, $args:ident, $ty:ty) => {
        /// Adds.
        #[tool(args = $args)]
        fn $name(first: $ty, second: $ty) -> usize {
            first.len() + second.len()
        }
    };
}

adds!(add, Add, &str);

/// Moves.
#[tool(args = Move)]
fn r#move(r#type: &str, _unused: u8, cow: Option<Cow<'_, str>>, r#gen: Vec<&str>) -> usize {
    r#type.len() + r#gen.len() + cow.map_or(0, |cow| cow.len())
}

/// Waits.
#[tool(args = Wait)]
async fn wait<'b>(first: &'b str, #[context] _cx: &Context) -> &'b str {
    first
}

/// Takes many.
#[tool(args = Many)]
#[allow(clippy::too_many_arguments)]
fn many(
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    m: u8,
    n: u8,
    o: u8,
    p: u8,
    q: &str,
) -> usize {
    let all = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p];
    all.len() + q.len()
}

/// Takes nothing.
#[tool(args = Nothing)]
fn nothing() {}

struct Crm;

#[tool]
impl Crm {
    /// Counts.
    #[tool(args = Count)]
    fn count(&self, of: &str) -> usize {
        of.len()
    }

    /// Is not there.
    #[cfg(any())]
    #[tool(args = Gone)]
    fn gone(&self, of: &str) -> usize {
        of.len()
    }
}

#[test]
fn runs() {
    let set = tools![add, r#move, wait, many, nothing, ..Crm: Crm];
    assert_eq!(set.iter().len(), 6);
    let call = toolwright::ToolCall::new("1", "move", r#"{"type": "a", "unused": 1, "gen": []}"#);
    let cx = Context::new().reading();
    let args = Move::read(&call, &cx).unwrap();
    assert_eq!((args.r#type, args._unused, args.r#gen.len()), ("a", 1, 0));
    let call = toolwright::ToolCall::new("1", "count", r#"{"of": "a"}"#);
    assert!(matches!(Count::read(&call, &cx), Ok(Count { of: "a" })));
}
