//! A provider that plays scripts of habits: whatever it mixes, the words that are sent, the calls that run and the next request
//! are right. A habit that is seen next is a line of [`HABITS`].

mod events;
mod rules;
#[cfg(feature = "agent")]
mod turns;

use serde_json::json;
use toolwright::{
    ToolCall, Wire,
    wire::{Completion, StreamEvent},
};

use self::rules::check_next_request;

use super::{hosted, stream, words};
use crate::wires::parsed;

const CHAT: &[Wire] = &[Wire::OpenAiChat];
const RESPONSES: &[Wire] = &[Wire::OpenAiResponses];
const BLOCKS: &[Wire] = &[Wire::Anthropic, Wire::BedrockConverse];
const GEMINI: &[Wire] = &[Wire::Gemini];
const ALL: &[Wire] = &[
    Wire::OpenAiChat,
    Wire::OpenAiResponses,
    Wire::Anthropic,
    Wire::Gemini,
    Wire::Ollama,
    Wire::BedrockConverse,
];

type Habit = (&'static str, &'static [Wire], fn(&mut Script));

/// Every habit: who has it, and what it does.
static HABITS: [Habit; 24] = [
    ("words in one piece", ALL, |it| {
        it.words = vec!["It is 5."];
    }),
    ("words letter by letter", ALL, |it| {
        it.words = "It is 5."
            .split_inclusive("")
            .filter(|piece| !piece.is_empty())
            .collect();
    }),
    ("the same piece again", ALL, |it| {
        it.words = vec!["ha", "ha", "ha"];
    }),
    ("no words", ALL, |it| {
        it.words = Vec::new();
    }),
    ("white space in front", ALL, |it| {
        it.blank = Some("\n\n");
    }),
    ("an empty piece in front", ALL, |it| {
        it.blank = Some("");
    }),
    ("a thought in front", ALL, |it| {
        it.thinks = true;
    }),
    ("words as parts", CHAT, |it| {
        it.forms = &[true];
    }),
    ("words as parts, then as strings", CHAT, |it| {
        it.forms = &[true, false];
    }),
    ("words as strings, then as parts", CHAT, |it| {
        it.forms = &[false, true, false];
    }),
    ("an empty string at the end", CHAT, |it| {
        it.empty_end = true;
    }),
    ("a refusal", CHAT, |it| {
        it.key = "refusal";
    }),
    ("signed words", GEMINI, |it| {
        it.signs = true;
    }),
    ("words that are only done", RESPONSES, |it| {
        it.only_done = true;
    }),
    ("no calls", ALL, |it| {
        it.calls = 0;
    }),
    ("three calls", ALL, |it| {
        it.calls = 3;
    }),
    (
        "calls without ids",
        &[Wire::OpenAiChat, Wire::Gemini, Wire::Ollama],
        |it| {
            it.id = |_| String::new();
        },
    ),
    ("calls of one id", CHAT, |it| {
        it.id = |_| "c".to_owned();
    }),
    ("a tool of its own", BLOCKS, |it| {
        it.hosted = true;
    }),
    (
        "a first attempt",
        &[
            Wire::OpenAiChat,
            Wire::OpenAiResponses,
            Wire::Anthropic,
            Wire::Gemini,
            Wire::BedrockConverse,
        ],
        |it| it.attempts = 2,
    ),
    ("an id for each event", CHAT, |it| {
        it.event_ids = true;
    }),
    ("usage in an event of its own", CHAT, |it| {
        it.usage = true;
    }),
    ("a word in every piece", CHAT, |it| {
        it.channel = true;
    }),
    ("no end of the last line", ALL, |it| {
        it.cut_line = true;
    }),
];

/// What a response says, and how.
// Each is a habit that is there or not.
#[allow(clippy::struct_excessive_bools)]
struct Script {
    words: Vec<&'static str>,
    blank: Option<&'static str>,
    thinks: bool,
    /// Forms of the pieces, in turn: true for a list of parts.
    forms: &'static [bool],
    empty_end: bool,
    key: &'static str,
    signs: bool,
    only_done: bool,
    calls: usize,
    id: fn(usize) -> String,
    hosted: bool,
    attempts: u8,
    event_ids: bool,
    usage: bool,
    channel: bool,
    cut_line: bool,
}

impl Script {
    const fn plain() -> Self {
        Self {
            words: Vec::new(),
            blank: None,
            thinks: false,
            forms: &[false],
            empty_end: false,
            key: "content",
            signs: false,
            only_done: false,
            calls: 1,
            id: |at| format!("c{at}"),
            hosted: false,
            attempts: 1,
            event_ids: false,
            usage: false,
            channel: false,
            cut_line: false,
        }
    }

    fn text(&self) -> String {
        self.blank.unwrap_or_default().to_owned() + &self.words.concat()
    }

    fn pieces(&self) -> impl Iterator<Item = &'static str> {
        self.blank.into_iter().chain(self.words.iter().copied())
    }
}

/// Numbers that look random.
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Plays a script whose bytes are cut at random, checks what came of it, and returns it.
fn play(wire: Wire, script: &Script, rng: &mut Rng, about: &str) -> Completion {
    let lines: Vec<_> = script
        .events(wire)
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let text = lines.concat();
    let text = if script.cut_line {
        text.trim_end()
    } else {
        &text
    };
    let mut accumulator = wire.accumulator();
    let mut told = Vec::new();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at((1 + rng.below(400)).min(rest.len()));
        told.extend(accumulator.push_bytes(piece).unwrap());
        rest = behind;
    }
    told.extend(accumulator.push_bytes(b"\n").unwrap());
    let streamed = accumulator.finish().unwrap();
    assert!(streamed.ended && streamed.unfinished.is_empty(), "{about}");
    let restart = told
        .iter()
        .rposition(|event| *event == StreamEvent::Restart);
    let told = &told[restart.map_or(0, |at| at + 1)..];
    let said = wire.completion(&streamed.response).unwrap();
    assert_eq!(words(told), script.text(), "{about}: told");
    assert_eq!(
        said.text,
        script.text(),
        "{about}: read: {}",
        streamed.response
    );
    let begun = told
        .iter()
        .filter(|event| matches!(event, StreamEvent::Call { name, .. } if name == "now"));
    assert_eq!(begun.count(), script.calls, "{about}: told");
    let is_right =
        |call: &ToolCall| &*call.name == "now" && parsed(&call.arguments) == json!({"n": 1});
    assert!(
        said.calls.len() == script.calls && said.calls.iter().all(is_right),
        "{about}: {:?}",
        said.calls
    );
    assert_eq!(said.hosted.len(), usize::from(script.hosted), "{about}");
    assert_eq!(hosted(told), said.hosted, "{about}: told");
    assert_eq!(said.usage.is_some(), script.usage, "{about}");
    // Beside nothing, it could be a thought.
    if script.channel && !(said.text.is_empty() && said.calls.is_empty()) {
        assert_eq!(
            parsed(&streamed.response)["choices"][0]["message"]["channel"],
            "final",
            "{about}"
        );
    }
    let signed = streamed.response.matches("\"s\"").count();
    assert_eq!(
        said.messages.concat().matches("\"s\"").count(),
        signed,
        "{about}: a signature is lost"
    );
    check_next_request(wire, &said, about);
    said
}

/// Plays a script that breaks off after a random event: what was sent is what the response has.
fn break_off(wire: Wire, script: &Script, rng: &mut Rng, about: &str) {
    let events = script.events(wire);
    let end = 1 + rng.below(events.len());
    let about = format!("{about}, after {end}");
    let (told, streamed) = stream(wire, &events[..end]);
    let restart = told
        .iter()
        .rposition(|event| *event == StreamEvent::Restart);
    let told = &told[restart.map_or(0, |at| at + 1)..];
    let said = wire.completion(&streamed.response).unwrap();
    assert_eq!(words(told), said.text, "{about}: {}", streamed.response);
    assert_eq!(hosted(told), said.hosted, "{about}");
    let begun = told
        .iter()
        .filter(|event| matches!(event, StreamEvent::Call { .. }));
    let calls = said.calls.len() + streamed.unfinished.len();
    assert_eq!(begun.count(), calls, "{about}: {}", streamed.response);
    let is_right = |call: &ToolCall| parsed(&call.arguments) == json!({"n": 1});
    assert!(said.calls.iter().all(is_right), "{about}: {:?}", said.calls);
}

/// The habits of a wire.
fn habits_of(wire: Wire) -> Vec<&'static Habit> {
    let has = |(_, wires, _): &&Habit| wires.contains(&wire);
    HABITS.iter().filter(has).collect()
}

/// A script of these habits, and their names.
fn mix(wire: Wire, habits: &[&Habit]) -> (Script, String) {
    let mut script = Script::plain();
    script.words = vec!["It is ", "5."];
    for (_, _, does) in habits {
        does(&mut script);
    }
    // An attempt shows by the ids of its events.
    script.event_ids &= script.attempts == 1;
    let names: Vec<_> = habits.iter().map(|(name, ..)| *name).collect();
    (script, format!("{wire:?}, {}", names.join(" + ")))
}

/// Two to six habits.
fn some_habits(habits: &[&'static Habit], rng: &mut Rng) -> Vec<&'static Habit> {
    let count = 2 + rng.below(5);
    (0..count)
        .map(|_| habits[rng.below(habits.len())])
        .collect()
}

/// Number of mixes to try.
fn mixes(default: usize) -> usize {
    std::env::var("TOOLWRIGHT_CASES").map_or(default, |cases| cases.parse().unwrap())
}

/// Each habit alone, and mixes of them.
#[test]
fn whatever_habits_are_mixed_the_words_the_calls_and_the_next_request_are_right() {
    let mixes = mixes(300);
    let mut rng = Rng(52);
    for wire in ALL {
        let habits = habits_of(*wire);
        for at in 0..habits.len() + mixes {
            let chosen = match habits.get(at) {
                Some(habit) => vec![*habit],
                None => some_habits(&habits, &mut rng),
            };
            let (script, about) = mix(*wire, &chosen);
            play(*wire, &script, &mut rng, &about);
            break_off(*wire, &script, &mut rng, &about);
        }
    }
}
