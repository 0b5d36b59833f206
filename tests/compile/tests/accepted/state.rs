//! State: one value, the parts of a struct, a trait object, what the host shares already.
#![deny(warnings)]

use std::sync::Arc;
use toolwright::{Provide, tool, tools};

struct Db(u32);

trait Clock: Send + Sync {
    fn now(&self) -> u32;
}

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> u32 {
        3
    }
}

#[derive(Provide)]
struct App {
    db: Db,
    /// Shared with others.
    names: Arc<Vec<String>>,
    #[provide(skip)]
    other: Db,
}

impl Provide<dyn Clock> for App {
    fn provide(&self) -> &(dyn Clock + 'static) {
        &Stopped
    }
}

/// Count.
#[tool]
fn count(
    /// What is said of it here is for people.
    #[state]
    db: &Db,
    more: u32,
) -> u32 {
    db.0 + more
}

/// Name.
#[tool]
async fn name(#[state] names: &Arc<Vec<String>>, #[state] app: &App, #[state] db: &Db) -> usize {
    names.len() + app.other.0 as usize + db.0 as usize
}

/// Tell the time.
#[tool]
fn now(#[state] clock: &dyn Clock) -> u32 {
    clock.now()
}

type Length = dyn for<'a> Fn(&'a str) -> usize + Send + Sync;

/// Measure by a function that borrows for each call.
#[tool]
fn measure(
    #[state] length: &Box<dyn for<'a> Fn(&'a str) -> usize + Send + Sync>,
    text: &str,
) -> usize {
    length(text)
}

/// Measure by a shared function that borrows for each call.
#[tool]
fn measure_shared(
    #[state] length: Arc<dyn for<'a> Fn(&'a str) -> usize + Send + Sync>,
    text: &str,
) -> usize {
    length(text)
}

#[test]
fn a_function_that_borrows_is_state() {
    let shared: Arc<Length> = Arc::new(|text| text.len());
    assert_eq!(tools![measure_shared; state = shared].iter().len(), 1);
    let length: Box<Length> = Box::new(|text| text.len());
    let tools = tools![measure; state = Arc::new(length)];
    let call = toolwright::ToolCall::new("1", "measure", r#"{"text": "four"}"#);
    let result = tools.call_blocking(&call, &toolwright::Context::new());
    assert_eq!(result.content(toolwright::Encoder::auto()), "4");
}

/// Tell the time, with a share of the clock.
#[tool]
fn later(#[state] clock: Arc<dyn Clock>) -> u32 {
    clock.now() + 1
}

#[test]
fn runs() {
    let clock: Arc<dyn Clock> = Arc::new(Stopped);
    assert_eq!(tools![later; state = clock].iter().len(), 1);
    assert_eq!(tools![count; state = Db(1)].iter().len(), 1);
    assert_eq!(tools![count; state = Arc::new(Db(1)),].iter().len(), 1);
    let app = App {
        db: Db(1),
        names: Arc::default(),
        other: Db(2),
    };
    assert_eq!(tools![count, name, now,; state = app].iter().len(), 3);
    assert_eq!(tools![].iter().len(), 0);
}
