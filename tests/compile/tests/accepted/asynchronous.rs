//! Asynchronous tools stay functions to call and to await.
#![deny(warnings)]

use std::future::Future;
use std::pin::pin;
use std::task::{Context as Cx, Poll, Waker};
use toolwright::{Context, tool, tools};

/// Wait.
#[tool(timeout = "500ms")]
async fn wait(text: &str, mut numbers: Vec<u8>, #[context] cx: &Context) -> Result<String, String> {
    std::future::ready(()).await;
    numbers.push(1);
    Ok(format!("{text}{numbers:?}{}", cx.call_id().is_some()))
}

/// Compute.
#[tool(blocking, timeout = "1h")]
fn compute() -> u32 {
    3
}

#[test]
fn runs() {
    let cx = Context::new();
    let future = pin!(wait("a", Vec::new(), &cx));
    let Poll::Ready(Ok(text)) = future.poll(&mut Cx::from_waker(Waker::noop())) else {
        panic!("it does not wait");
    };
    assert_eq!(text, "a[1]false");
    assert_eq!(tools![wait, compute].iter().len(), 2);
}
