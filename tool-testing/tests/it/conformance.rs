//! The suites that others run on their tools, encoders and executors hold ours, and fail where
//! something is wrong.
// A test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use toolwright::{
    Context, Encoder, Outcome, Schema, Tool, ToolDef, ToolError, Toolset,
    call::{Answer, Call, Scope},
    schema::SchemaDoc,
    tool, tools,
};
use toolwright_testing as testing;

/// What a panic says.
fn complaint(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

/// Where to
#[derive(serde::Deserialize, Schema)]
struct Place {
    #[schema(len(1..=20))]
    city: String,
    #[schema(range(-90.0..=90.0))]
    latitude: Option<f64>,
}

/// Goes there.
#[tool]
fn go(place: Place, #[arg(range(1..=9))] times: u8) -> Result<String, String> {
    if times > 8 {
        return Err("too often".into());
    }
    Ok(format!("{} {:?}", place.city, place.latitude))
}

/// Answers.
#[tool]
async fn ping() -> &'static str {
    "pong"
}

fn never(_: &Scope<'_>) -> bool {
    false
}

/// Is seen by nobody.
#[tool(visible = never)]
fn secret() -> u8 {
    1
}

/// Panics for every second number.
#[tool]
fn odd(n: u8) -> u8 {
    assert!(n % 2 == 1, "even");
    n
}

#[test]
fn our_tools_conform() {
    for tool in tools![go, ping, odd].iter() {
        testing::conformance::tool(&**tool);
    }
}

/// One that does not keep what it says.
struct Liar {
    def: ToolDef,
    validate: fn(Call<'_>) -> Result<(), ToolError>,
}

impl Tool for Liar {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, _: Call<'a>) -> Answer<'a> {
        Answer::Ready(Ok(Outcome::value(1)))
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        (self.validate)(call)
    }
}

#[test]
fn a_tool_that_does_not_conform_is_told_why() {
    let liar = |name: &'static str, description: &'static str, validate| {
        let mut def = ToolDef::new(name, description);
        def.input = SchemaDoc::of::<Place>();
        Liar { def, validate }
    };
    let cases: [(&str, Liar); 5] = [
        (
            "a name that a provider refuses",
            liar("no spaces", "d", |_| Ok(())),
        ),
        ("has no description", liar("a", " ", |_| Ok(()))),
        (
            "refuses what its schema admits",
            liar("a", "d", |_| Err(ToolError::failed("no"))),
        ),
        (
            "refuses what its schema admits",
            liar("a", "d", |_| panic!("on the way")),
        ),
        (
            "answers",
            liar("a", "d", |call| {
                let read = call.decode::<Place>();
                read.map(drop).map_err(|_| ToolError::failed("no"))
            }),
        ),
    ];
    for (expected, tool) in cases {
        let told = complaint(|| testing::conformance::tool(&tool));
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn our_encoders_conform_and_others_are_told_why() {
    for encoder in [
        Encoder::auto(),
        Encoder::json(),
        Encoder::envelope(),
        Encoder::envelope_with_attributes(),
        Encoder::text(),
        Encoder::custom(|result| Ok(format!("<{}>", result.content(Encoder::json())))),
        // It falls back.
        Encoder::custom(|result| {
            assert!(result.is_success(), "on the way");
            Ok(result.content(Encoder::auto()).into_owned())
        }),
    ] {
        testing::conformance::encoder(encoder);
    }
    let cases: [(&str, Encoder); 4] = [
        (
            "is shown as",
            Encoder::custom(|_| Ok("always the same".into())),
        ),
        (
            "does not say why",
            Encoder::custom(|result| {
                Ok(match &result.outcome {
                    Ok(_) => result.content(Encoder::auto()).into_owned(),
                    Err(_) => "failed".into(),
                })
            }),
        ),
        (
            "only the host may read",
            Encoder::custom(|result| {
                Ok(match &result.outcome {
                    Ok(_) => result.content(Encoder::auto()).into_owned(),
                    Err(error) => format!("{error} {error:?}"),
                })
            }),
        ),
        (
            "two texts",
            Encoder::custom(|result| {
                use std::sync::atomic::{AtomicU32, Ordering};
                static COUNT: AtomicU32 = AtomicU32::new(0);
                let count = COUNT.fetch_add(1, Ordering::SeqCst);
                Ok(format!("{} {count}", result.content(Encoder::auto())))
            }),
        ),
    ];
    for (expected, encoder) in cases {
        let told = complaint(|| testing::conformance::encoder(encoder));
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn every_tool_is_called_with_what_it_takes() {
    let tools = tools![go, ping];
    let calls = testing::calls(&tools, 7, 50);
    assert_eq!(calls.len(), 2 * 51);
    assert_eq!(calls, testing::calls(&tools, 7, 50));
    assert_ne!(calls, testing::calls(&tools, 8, 50));
    let results = testing::assert_callable(&tools, &Context::new(), 7, 50);
    assert!(
        results.iter().any(|result| !result.is_success()),
        "`too often` is an answer"
    );
    let told = complaint(|| {
        testing::assert_callable(&tools![odd], &Context::new(), 1, 50);
    });
    assert!(told.contains("odd(") && told.contains("panicked"), "{told}");
}

#[test]
fn a_hidden_tool_is_named_once() {
    let tools = tools![go, secret];
    let told = complaint(|| {
        testing::assert_callable(&tools, &Context::new(), 1, 50);
    });
    assert_eq!(
        told,
        "calls that no author meant:\nsecret: hidden in this context, and not called"
    );
}

#[test]
fn a_snapshot_says_what_each_dialect_is_sent() {
    let tools: Toolset = tools![go, ping];
    let text = testing::snapshot(&tools);
    assert_eq!(text, testing::snapshot(&tools![go, ping]));
    for dialect in toolwright::Dialect::ALL {
        assert!(
            text.contains(&format!("== {}\ngo: Goes there.\n  ", dialect.name())),
            "{dialect}"
        );
    }
    assert!(text.contains("demoted minLength 1"), "{text}");
}

mod executors {
    use super::complaint;
    use toolwright::{Executor, ToolResult};
    use toolwright_testing::conformance::{TurnResult, executor};

    #[test]
    fn ours_conform() {
        executor(|tools, calls, cx| Executor::serial(tools).run_blocking(calls, cx).into());
        executor(|tools, calls, cx| Executor::parallel(tools, 8).run_blocking(calls, cx).into());
    }

    #[test]
    fn others_are_told_why() {
        // One call after the other, by the toolset alone: nothing waits, and nothing is cancelled.
        let told = complaint(|| {
            executor(|tools, calls, cx| TurnResult {
                answered: calls
                    .iter()
                    .map(|call| tools.call_blocking(call, cx))
                    .collect(),
                pending: Vec::new(),
            });
        });
        assert!(told.contains("a manual tool waits"), "{told}");
        let told = complaint(|| {
            executor(|tools, calls, cx| {
                let mut turn: TurnResult = Executor::serial(tools).run_blocking(calls, cx).into();
                turn.answered.reverse();
                turn
            });
        });
        assert!(told.contains("is answered under"), "{told}");
        let told = complaint(|| {
            executor(|tools, calls, cx| {
                let mut turn: TurnResult = Executor::serial(tools).run_blocking(calls, cx).into();
                turn.answered.retain(ToolResult::is_success);
                turn
            });
        });
        assert!(told.contains("an unknown tool among others"), "{told}");
    }
}
