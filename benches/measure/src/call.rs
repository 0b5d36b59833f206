//! Rows of calls: from the arguments' text to the answer's.

use std::hint::black_box;
use std::rc::Rc;

use serde_json::Value;

use crate::row::{Group, Row};
use crate::{arguments, hand};

/// An id of a call, as long as `OpenAI`'s are.
pub const ID: &str = "call_0123456789abcdefghijklmn";

/// What goes back to the model: the answer's text, or the error's.
pub type Answer = Result<String, String>;

/// The groups of calls with a row for the peer of this name, after those of what people write by hand. `call` takes a
/// tool's name and the arguments' text. Who takes a bad call is told of, and has no row of it.
pub fn calls(peer: &str, call: impl Fn(&'static str, &str) -> Answer + 'static) -> Vec<Group> {
    let call = Rc::new(call);
    ready_calls(peer, |tool, arguments| {
        let (call, arguments) = (Rc::clone(&call), arguments.to_owned());
        move || call(black_box(tool), black_box(&arguments))
    })
}

/// The same for who lends a call to its tool: `ready` makes it, which is not timed, and what it returns is done again and
/// again.
pub fn ready_calls<F: Fn() -> Answer + 'static>(
    peer: &str,
    ready: impl Fn(&'static str, &str) -> F,
) -> Vec<Group> {
    let group = |group: &str, tool: &'static str, arguments: String| {
        let right = hand::call(tool, &arguments).ok();
        let call = ready(tool, &arguments);
        let answer = call();
        match (&right, &answer) {
            (Some(right), Ok(answer)) => {
                let read = |text: &str| serde_json::from_str::<Value>(text).ok();
                assert_eq!(read(answer), read(right), "{peer}: {tool}");
            }
            (None, Err(_)) => assert!(group == "four-faults", "{peer}: {group} {answer:?}"),
            // What answers a bad call as if it were a good one takes no time to say what is wrong.
            (None, Ok(answer)) => {
                eprintln!("{peer}: {tool} takes a bad call, and answers {answer}");
                return None;
            }
            (Some(_), Err(error)) => panic!("{peer}: {tool}: {error}"),
        }
        let (lent, owned) = (arguments.clone(), arguments);
        Some(Group(vec![
            Row::again(format!("{group}/HAND"), move || {
                let _ = black_box(hand::call(black_box(tool), black_box(&lent)));
            }),
            Row::again(format!("{group}/HAND_OWNED"), move || {
                let _ = black_box(hand::call_owned(black_box(tool), black_box(&owned)));
            }),
            Row::again(format!("{group}/{peer}"), move || {
                let _ = black_box(call());
            }),
        ]))
    };
    let groups = [
        group("add", "add", arguments::ADD.to_owned()),
        group("weather", "get_weather", arguments::WEATHER.to_owned()),
        group("order", "create_order", arguments::order()),
        group("text", "index_text", arguments::index(false)),
        group("text-escaped", "index_text", arguments::index(true)),
        group("four-faults", "create_order", arguments::bad_order()),
    ];
    groups.into_iter().flatten().collect()
}
