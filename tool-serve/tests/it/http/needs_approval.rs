//! Tools with a parameter `Approved<'_>` over HTTP: the call waits, and runs once it is approved.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use toolwright::call::Approved;
use toolwright::{tool, tools};

use super::client::serve_tools;
use super::waiting::{JSON, decide, waits};

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Approved<'_>, #[state] paid: &AtomicU32) -> String {
    paid.fetch_add(1, Ordering::Relaxed);
    format!("{bill}, as in {}", yes.arguments())
}

#[test]
fn a_call_waits_for_its_yes() {
    let paid = Arc::new(AtomicU32::new(0));
    let served = serve_tools(tools![pay; state = Arc::clone(&paid)], |server| server);
    let pay = || waits(&served, "pay", r#"{"bill": 7}"#);
    let count = || paid.load(Ordering::Relaxed);
    let (first, second, third) = (pay(), pay(), pay());
    assert_eq!(count(), 0);
    // Headers and events change nothing.
    for headers in [
        "Accept: text/event-stream\r\n",
        "Prefer: handling=strict\r\n",
    ] {
        let answer = served.call_with("pay", br#"{"bill": 7}"#, &format!("{JSON}{headers}"));
        assert!(answer.body.contains("pending"), "{answer:?}");
        assert_eq!(count(), 0);
    }
    let answer = decide(&served, &first, r#"{"reject": "no"}"#, JSON);
    assert_eq!((answer.status, count()), (403, 0));
    let answer = decide(&served, &second, r#""approve""#, JSON);
    let said = json!(r#"7, as in {"bill": 7}"#);
    assert_eq!((&answer.json()["value"], count()), (&said, 1));
    // A yes that is sent twice lets it run once.
    let again = decide(&served, &second, r#""approve""#, JSON);
    assert_eq!((again.status, count()), (404, 1));
    let answer = decide(&served, &third, r#"{"edit": {"bill": 8}}"#, JSON);
    let said = json!(r#"8, as in {"bill": 8}"#);
    assert_eq!((&answer.json()["value"], count()), (&said, 2));
}
