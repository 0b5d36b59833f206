//! Several responses of mixed habits in one conversation, whose ids come again in each.

use std::collections::HashSet;

use toolwright::agent::thread::{Assistant, Native, wire_name};
use toolwright::agent::{Thread, ThreadMessage};

use super::rules::check_request;
use super::{ALL, Rng, habits_of, mix, mixes, play, some_habits};
use crate::wires::parsed;

/// Number of signatures and encrypted thoughts.
fn signatures(messages: &str) -> usize {
    [r#""s""#, r#""e""#]
        .map(|text| messages.matches(text).count())
        .iter()
        .sum()
}

#[test]
fn conversations_of_mixed_habits_have_requests_that_their_providers_take() {
    let mut rng = Rng(2026);
    let mut ids = HashSet::new();
    let mut reused = 0;
    for wire in ALL {
        let habits = habits_of(*wire);
        for _ in 0..mixes(100) {
            let mut thread = Thread::from([ThreadMessage::user("Hi")]);
            let (mut about, mut answers, mut signed) = (String::new(), Vec::new(), 0);
            ids.clear();
            for turn in 0..3 + rng.below(3) {
                let (script, names) = mix(*wire, &some_habits(&habits, &mut rng));
                about = format!("{about}; {names}");
                let response = play(*wire, &script, &mut rng, &about);
                signed += signatures(&response.messages.concat());
                let calls = response.calls.clone();
                let mut said = Assistant::default();
                said.text = response.text;
                said.calls = response.calls;
                said.hosted = response.hosted;
                said.native = Some(Native {
                    wire: wire_name(*wire),
                    messages: response.messages,
                });
                thread.push(ThreadMessage::Assistant(said));
                for (at, call) in calls.iter().enumerate() {
                    let answer = format!("answer {turn}/{at}");
                    thread.push(ThreadMessage::tool(&answer, call.id.clone()));
                    answers.push(answer);
                    reused += usize::from(!ids.insert(call.id.clone()));
                }
                if calls.is_empty() {
                    thread.push(ThreadMessage::user("And?"));
                }
                let body = thread.format(*wire, None).unwrap();
                check_request(*wire, &parsed(&body), &answers, &about);
                assert_eq!(signatures(&body), signed, "{about}: a signature is lost");
            }
        }
    }
    assert!(reused > 100, "{reused}");
}
