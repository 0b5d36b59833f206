//! Rows of definitions: what a request says about the tools of `hundred!`.

use std::borrow::Cow;
use std::hint::black_box;

use serde::Serialize;

use crate::row::{Group, Row};

/// A tool's definition as `OpenAI`'s chat takes it.
#[derive(Serialize)]
struct Definition<'a, T> {
    r#type: &'static str,
    function: Function<'a, T>,
}

#[derive(Serialize)]
struct Function<'a, T> {
    name: &'a str,
    description: &'a str,
    parameters: T,
}

/// The text of a request's `tools` out of names, descriptions and parameters, for those who do not make it themselves.
pub fn open_ai<'a, T: Serialize>(tools: impl IntoIterator<Item = (&'a str, &'a str, T)>) -> String {
    let definitions: Vec<_> = tools
        .into_iter()
        .map(|(name, description, parameters)| Definition {
            r#type: "function",
            function: Function {
                name,
                description,
                parameters,
            },
        })
        .collect();
    serde_json::to_string(&definitions).unwrap_or_default()
}

/// Rows of the text of a hundred definitions: from a set that has just been made, and from one that has made it before.
pub fn definitions<S: 'static>(
    peer: &str,
    make: impl Fn() -> S + Clone + 'static,
    text: impl Fn(&S) -> Cow<'_, str> + Clone + 'static,
) -> Vec<Group> {
    let set = make();
    let bytes = text(&set).len();
    let count =
        serde_json::from_str::<Vec<serde_json::Value>>(&text(&set)).map(|tools| tools.len());
    assert_eq!(count.ok(), Some(100), "{peer}: {}", text(&set));
    let first = text.clone();
    vec![
        Group(vec![
            Row::fresh(format!("definitions-first/{peer}"), make, move |set| {
                let bytes = first(&set).len();
                (set, bytes)
            })
            .bytes(bytes),
        ]),
        Group(vec![
            Row::again(format!("definitions-later/{peer}"), move || {
                black_box(text(black_box(&set)));
            })
            .bytes(bytes),
        ]),
    ]
}

/// A row of what it takes to make ten sets of a hundred tools each.
pub fn start_up<S: 'static>(peer: &str, make: impl Fn() -> S + Clone + 'static) -> Group {
    let ten = move |()| -> Vec<S> { (0..10).map(|_| make()).collect() };
    Group(vec![Row::fresh(format!("start-up/{peer}"), || (), ten)])
}
