//! The form of each wire that models speak, as a plain reader knows it.

use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright::{Context, Wire, args::Arena, call::Call};

/// Where a wire has what. Places are told as [`at`] takes them.
pub(super) struct Form {
    /// Makes a response of the message that is echoed.
    around: [&'static str; 2],
    /// The list that has the calls.
    calls: &'static str,
    is_call: IsCall,
    /// A call's id, name and arguments.
    call: [&'static str; 3],
    /// Arguments are an object, and a text nowhere.
    pub(super) is_object_alone: bool,
    /// The list that has the answers, where all are in one message.
    pub(super) answers: Option<&'static str>,
    /// What each message of answers says that it is.
    pub(super) kind: [&'static str; 2],
    /// An answer's id and words.
    pub(super) answer: [&'static str; 2],
    /// What an answer has if the call failed.
    pub(super) failed: Option<&'static str>,
}

/// Which elements of the list are calls.
enum IsCall {
    Always,
    OfType(&'static str),
    With(&'static str),
}

/// The form of a wire; none of MCP's, whose responses are requests.
pub(super) fn form(wire: Wire) -> Option<Form> {
    Some(match wire {
        Wire::OpenAiChat => Form {
            around: [r#"{"choices":[{"message":"#, "}]}"],
            calls: "/choices/0/message/tool_calls",
            is_call: IsCall::Always,
            call: ["/id", "/function/name", "/function/arguments"],
            is_object_alone: false,
            answers: None,
            kind: ["/role", "tool"],
            answer: ["/tool_call_id", "/content"],
            failed: None,
        },
        Wire::OpenAiResponses => Form {
            around: [r#"{"output":["#, "]}"],
            calls: "/output",
            is_call: IsCall::OfType("function_call"),
            call: ["/call_id", "/name", "/arguments"],
            is_object_alone: false,
            answers: None,
            kind: ["/type", "function_call_output"],
            answer: ["/call_id", "/output"],
            failed: None,
        },
        Wire::Anthropic => Form {
            around: ["", ""],
            calls: "/content",
            is_call: IsCall::OfType("tool_use"),
            call: ["/id", "/name", "/input"],
            is_object_alone: true,
            answers: Some("/content"),
            kind: ["/role", "user"],
            answer: ["/tool_use_id", "/content"],
            failed: Some("/is_error"),
        },
        Wire::Gemini => Form {
            around: [r#"{"candidates":[{"content":"#, "}]}"],
            calls: "/candidates/0/content/parts",
            is_call: IsCall::With("/functionCall"),
            call: [
                "/functionCall/id",
                "/functionCall/name",
                "/functionCall/args",
            ],
            is_object_alone: true,
            answers: Some("/parts"),
            kind: ["/role", "user"],
            answer: ["/functionResponse/id", "/functionResponse/response/output"],
            failed: Some("/functionResponse/response/error"),
        },
        Wire::Ollama => Form {
            around: [r#"{"message":"#, "}"],
            calls: "/message/tool_calls",
            is_call: IsCall::Always,
            call: ["/id", "/function/name", "/function/arguments"],
            is_object_alone: true,
            answers: None,
            kind: ["/role", "tool"],
            answer: ["/tool_call_id", "/content"],
            failed: None,
        },
        Wire::BedrockConverse => Form {
            around: [r#"{"output":{"message":"#, "}}"],
            calls: "/output/message/content",
            is_call: IsCall::With("/toolUse"),
            call: ["/toolUse/toolUseId", "/toolUse/name", "/toolUse/input"],
            is_object_alone: true,
            answers: Some("/content"),
            kind: ["/role", "user"],
            answer: ["/toolResult/toolUseId", "/toolResult/content/0/text"],
            failed: Some("/toolResult/status"),
        },
        _ => return None,
    })
}

/// A call as it came. What is missing or `null` is none.
pub(super) struct Given<'a> {
    pub(super) id: Option<&'a RawValue>,
    pub(super) name: Option<&'a RawValue>,
    pub(super) arguments: Option<&'a RawValue>,
}

/// The calls of a response.
pub(super) fn given(wire: Wire, response: &str) -> Vec<Given<'_>> {
    let Ok(response) = serde_json::from_str::<&RawValue>(response) else {
        return Vec::new();
    };
    let Some(form) = form(wire) else {
        return requests(response).into_iter().filter_map(asked).collect();
    };
    let one = |one| {
        let is_call = match form.is_call {
            IsCall::Always => true,
            IsCall::OfType(kind) => said(at(one, "/type")) == kind,
            // Bedrock runs a call of this type itself.
            IsCall::With(path) => {
                at(one, path).is_some_and(|call| said(at(call, "/type")) != "server_tool_use")
            }
        };
        is_call.then(|| at_each(one, form.call))
    };
    let elements = at(response, form.calls).map(list).unwrap_or_default();
    elements.into_iter().filter_map(one).collect()
}

fn at_each<'a>(one: &'a RawValue, [id, name, arguments]: [&str; 3]) -> Given<'a> {
    Given {
        id: at(one, id),
        name: at(one, name),
        arguments: at(one, arguments),
    }
}

/// A list of requests, or one that stands alone.
fn requests(request: &RawValue) -> Vec<&RawValue> {
    if request.get().starts_with('[') {
        return list(request);
    }
    vec![request]
}

/// What a request asks to be called; the parameters of a request are one, too.
fn asked(request: &RawValue) -> Option<Given<'_>> {
    match at(request, "/method") {
        Some(_) if said(at(request, "/method")) == "tools/call" => Some(at_each(
            request,
            ["/id", "/params/name", "/params/arguments"],
        )),
        Some(_) => None,
        None => at(request, "/name").map(|name| Given {
            id: None,
            name: Some(name),
            arguments: at(request, "/arguments"),
        }),
    }
}

/// What stands there, as it is spelled, unless it is `null`: `/a/0` is the first element of `a`.
pub(super) fn at<'a>(json: &'a RawValue, path: &str) -> Option<&'a RawValue> {
    let found = path.split('/').skip(1).try_fold(json, |json, key| {
        if let Ok(place) = key.parse::<usize>() {
            return list(json).get(place).copied();
        }
        let object: HashMap<String, &RawValue> = serde_json::from_str(json.get()).ok()?;
        object.get(key).copied()
    });
    found.filter(|json| json.get() != "null")
}

pub(super) fn list(json: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(json.get()).unwrap_or_default()
}

/// The string that stands there, or else the JSON.
pub(super) fn said(json: Option<&RawValue>) -> String {
    let json = json.map_or("", RawValue::get);
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}

/// Whether every reader finds the same in a response: no key stands twice in one object, and no
/// string or number is more than others can hold.
pub(super) fn is_plain(response: &str) -> bool {
    let inside = format!(r#"{{"response":{response}}}"#);
    let (store, cx) = (Arena::new(), Context::new());
    let read = Call::new(&inside, &store, &cx).decode::<Map<String, Value>>();
    read.is_ok() && serde_json::from_str::<Value>(response).is_ok()
}

impl Form {
    /// The echoed messages as if they had come now.
    pub(super) fn response(&self, echoed: &[&RawValue]) -> String {
        let echoed: Vec<&str> = echoed.iter().map(|message| message.get()).collect();
        let [before, behind] = self.around;
        format!("{before}{}{behind}", echoed.join(","))
    }

    /// In how many messages so many answers are.
    pub(super) fn messages_of(&self, answers: usize) -> usize {
        match self.answers {
            Some(_) => answers.min(1),
            None => answers,
        }
    }
}
