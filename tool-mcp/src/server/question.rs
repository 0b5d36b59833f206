//! A call that waits, as a question to a person.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright_json::{Integer, ObjectWriter};
use toolwright_provider::call::{Outcome, ToolResult};
use toolwright_runtime::executor::{
    Pending, PendingReason, Question, Waiting, call_bytes, definition_bytes,
};
use toolwright_runtime::tool::Decision;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::text::Printable;

use super::sealed::Signer;
use crate::elicit::{ElicitResult, ElicitResults};
use crate::outside::details_in_words;

/// A question.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct InputQuestion {
    /// Its answer is found again by this.
    pub(super) key: String,
    message: String,
    schema: Value,
    /// The answer is the call's result.
    is_result: bool,
    /// Number of the call that it shows, if the answer is for that call alone.
    shows: Option<u64>,
}

/// The keys of questions that no tool gave a key.
const APPROVAL: &str = "toolwright/approval";
const ANSWER: &str = "toolwright/answer";

/// Returns true if a question of this key is the server's own.
pub(super) fn is_ours(key: &str) -> bool {
    [APPROVAL, ANSWER].contains(&key)
}

/// Returns true if somebody has decided about an approval.
pub(super) fn is_approved(answers: &ElicitResults) -> bool {
    answers.get(APPROVAL).is_some()
}

/// A text for the model.
pub(super) struct ModelText {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl InputQuestion {
    /// JSON of the parameters of `elicitation/create`.
    ///
    /// # Errors
    /// When the schema is none that a client can ask for.
    pub(super) fn params(&self) -> Result<String, String> {
        check(&self.schema)
            .map_err(|why| format!("the question's `schema` cannot be asked for: {why}"))?;
        let params = ObjectWriter::new()
            .text("mode", "form")
            .text("message", &self.message)
            .json("requestedSchema", &self.schema.to_string());
        Ok(params.end())
    }

    /// The question's words, for a client that cannot ask it.
    pub(super) fn in_words(&self) -> ModelText {
        if self.is_result {
            let text = format!("Ask the user, and go on with the answer: {}", self.message);
            return ModelText {
                text,
                is_error: false,
            };
        }
        let why = if is_ours(&self.key) {
            "the call did not run, since it needs a person's answer and this client cannot ask for one"
        } else {
            "this client cannot ask its user"
        };
        let text = format!("{why}: {}", self.message);
        ModelText {
            text,
            is_error: true,
        }
    }

    /// Returns the number of the call that the answer is for.
    pub(super) fn shows(&self) -> Option<u64> {
        self.shows
    }

    /// Returns the call's outcome, if this answer alone settles it.
    pub(super) fn settled_by(&self, answer: &ElicitResult) -> Option<ModelText> {
        self.is_result.then(|| say(answer))
    }

    /// Returns true if the answer says all that is asked for, each part of its JSON type.
    pub(super) fn fits(&self, answer: &ElicitResult) -> bool {
        let ElicitResult::Accept(said) = answer else {
            return true;
        };
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let required = self.schema.get("required").and_then(Value::as_array);
        let mut required = required.into_iter().flatten().filter_map(Value::as_str);
        required.all(|name| said.contains_key(name))
            && properties.into_iter().flatten().all(|(name, schema)| {
                said.get(name)
                    .is_none_or(|value| is_a(value, schema) && is_one_of(value, schema))
            })
    }
}

/// A flat object: what a client can make a form of.
///
/// Source: `ElicitRequestFormParams` of the protocol's schema.
fn check(schema: &Value) -> Result<(), String> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("its `type` is not `object`".to_owned());
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Err("it has no `properties`".to_owned());
    };
    for (name, property) in properties {
        let kind = property.get("type").and_then(Value::as_str);
        match kind {
            Some("string" | "number" | "integer" | "boolean") => {}
            // Some of several strings.
            Some("array") if property.get("items").is_some_and(is_choice) => {}
            _ => {
                return Err(format!(
                    "`{name}` is not a string, number, boolean, or choice of strings"
                ));
            }
        }
    }
    Ok(())
}

fn is_choice(items: &Value) -> bool {
    ["enum", "anyOf", "oneOf"]
        .iter()
        .any(|key| items.get(key).is_some_and(Value::is_array))
}

fn is_a(value: &Value, schema: &Value) -> bool {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        // `5.0` is one, too.
        Some("integer") => value.is_number() && Integer::of(&value.to_string()).is_some(),
        Some("number") => value.is_number(),
        Some("array") => value.is_array(),
        _ => true,
    }
}

/// Returns true if the value is one of the choices, if there are some; each of several is.
fn is_one_of(value: &Value, schema: &Value) -> bool {
    if let (Some(values), Some(items)) = (value.as_array(), schema.get("items")) {
        return values.iter().all(|value| is_one_of(value, items));
    }
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    let titled = list("oneOf").or_else(|| list("anyOf"));
    list("enum").is_none_or(|choices| choices.contains(value))
        && titled.is_none_or(|choices| {
            let mut constants = choices.iter().filter_map(|choice| choice.get("const"));
            constants.any(|choice| choice == value)
        })
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

/// Returns the question of a tool whose answer asks one.
pub(super) fn asked(result: &ToolResult) -> Option<InputQuestion> {
    let Ok(Outcome::AskUser { question, options }) = &result.outcome else {
        return None;
    };
    let key = options.get("key").and_then(Value::as_str);
    Some(InputQuestion {
        key: key.unwrap_or(ANSWER).to_owned(),
        message: question.clone(),
        schema: schema(options),
        is_result: key.is_none(),
        shows: None,
    })
}

fn schema(options: &Map<String, Value>) -> Value {
    if let Some(schema) = options.get("schema") {
        return schema.clone();
    }
    if options.contains_key("url") {
        return object(&json!({}), &[]);
    }
    let mut answer = json!({"type": "string"});
    if let (Some(choices @ Value::Array(_)), Some(answer)) =
        (options.get("choices"), answer.as_object_mut())
    {
        answer.insert("enum".into(), choices.clone());
    }
    object(&json!({"answer": answer}), &["answer"])
}

/// An answer in words.
fn say(answer: &ElicitResult) -> ModelText {
    let (text, is_error) = match answer {
        ElicitResult::Accept(said) => match said.get("answer") {
            Some(Value::String(text)) if said.len() == 1 => (text.clone(), false),
            _ => (Value::from(said.clone()).to_string(), false),
        },
        ElicitResult::Decline => ("the user declined to answer".to_owned(), true),
        ElicitResult::Cancel => ("the user did not answer".to_owned(), true),
    };
    ModelText { text, is_error }
}

/// Removes the answers that a decision about a call inside was made of: they are for that call alone.
pub(super) fn forget(answers: &mut ElicitResults) {
    for key in [APPROVAL, ANSWER] {
        answers.take(key);
    }
}

/// Returns the decision about a call that waits, or the question that asks for one. `decided` is the number of the question that was answered last. Of a call that
/// paused, the question is about the call inside of it.
pub(super) fn pending(
    pending: &Pending,
    is_paused: bool,
    tools: &Toolset,
    answers: &ElicitResults,
    decided: Option<u64>,
    seal: &Signer,
) -> Result<Decision, Box<InputQuestion>> {
    match &pending.reason {
        PendingReason::Decision(why) if is_paused => inside(pending, why, answers, decided, seal),
        PendingReason::Decision(why) => {
            let tool = tools.get(&pending.call.name);
            let tool = tool.map(|tool| definition_bytes(tool.def()));
            // A layer may have rewritten the arguments since somebody was asked.
            let bytes = call_bytes(&pending.call, &tool.unwrap_or_default(), None);
            let number = seal.number(&bytes);
            let said = answers.get(APPROVAL).filter(|_| decided == Some(number));
            let shown = shown(pending, tools);
            // What is shown beside a call may hold a part of its arguments.
            let why = details_in_words(why).map(|why| format!(" ({})", Printable::new(&why)));
            let message = format!("Shall {shown} run?{}", why.unwrap_or_default());
            approval(said, message, number)
        }
        PendingReason::Question(asked) => {
            let number = seal.number(question_bytes(asked).as_bytes());
            let said = answers.get(ANSWER).filter(|_| decided == Some(number));
            asks(said, asked, in_words(asked), number)
        }
        _ => {
            let tool = tools.get(&pending.call.name);
            let description = tool.map_or("", |tool| &*tool.def().description);
            let shown = shown(pending, tools);
            let message = format!("Please answer the call of {shown}. {description}");
            manual(answers.get(ANSWER), &message, None)
        }
    }
}

/// Returns the question about the call that waits inside of one that paused. `why` shows that call, with an error beside it if
/// the last decision could not be carried out.
fn inside(
    pending: &Pending,
    why: &Value,
    answers: &ElicitResults,
    decided: Option<u64>,
    seal: &Signer,
) -> Result<Decision, Box<InputQuestion>> {
    let number = seal.number(why.to_string().as_bytes());
    let said = |key| answers.get(key).filter(|_| decided == Some(number));
    let waits: Option<Waiting> = serde_json::from_value(why.clone()).ok();
    let shown = match &waits {
        Some(waits) => shown_inside(pending, waits),
        // Nothing waits inside: the call was dropped, or its host has to mend something.
        None if why.get("error").is_none() => return Ok(Decision::Approve),
        None => format!("`{}`", pending.call.name),
    };
    let error = why.get("error").and_then(Value::as_str);
    let error = error.map(|error| format!(" ({})", Printable::new(error)));
    let error = error.unwrap_or_default();
    match waits.map(|waits| waits.reason) {
        Some(PendingReason::ManualTool | PendingReason::ManualMode) => {
            let message = format!("Please answer the call of {shown}.{error}");
            manual(said(ANSWER), &message, Some(number))
        }
        // A yes would make the call again.
        Some(PendingReason::OutcomeUnknown(unknown)) => {
            let unknown = Printable::new(&unknown);
            let message = format!(
                "It is unknown whether {shown} took effect ({unknown}). What is its result?{error}"
            );
            manual(said(ANSWER), &message, Some(number))
        }
        Some(PendingReason::Question(asked)) => {
            let message = format!("{shown} asks: {}{error}", in_words(&asked));
            asks(said(ANSWER), &asked, message, number)
        }
        _ => approval(said(APPROVAL), format!("Shall {shown} run?{error}"), number),
    }
}

fn question_bytes(asked: &Question) -> String {
    serde_json::to_string(asked).unwrap_or_default()
}

/// Returns the question's text, with the URL to visit, and the error of the last answer.
fn in_words(asked: &Question) -> String {
    let mut text = Printable::new(&asked.text).to_string();
    for option in ["url", "error"] {
        if let Some(more) = asked.options.get(option).and_then(Value::as_str) {
            text = format!("{text} ({})", Printable::new(more));
        }
    }
    text
}

/// A question of a tool that goes on with the answer.
fn asks(
    said: Option<&ElicitResult>,
    asked: &Question,
    message: String,
    number: u64,
) -> Result<Decision, Box<InputQuestion>> {
    let has_form = ["schema", "url"].map(|option| asked.options.contains_key(option));
    match said {
        Some(ElicitResult::Accept(values)) if has_form.contains(&true) => {
            Ok(Decision::Answer(values.clone().into()))
        }
        Some(_) => manual(said, &message, Some(number)),
        None => Err(Box::new(InputQuestion {
            key: ANSWER.into(),
            message,
            schema: schema(&asked.options),
            is_result: false,
            shows: Some(number),
        })),
    }
}

/// The call as people may see it.
fn shown(pending: &Pending, tools: &Toolset) -> String {
    let name = &pending.call.name;
    match tools.get(name) {
        Some(tool) => {
            let arguments = tool.redacted(&pending.call.arguments);
            format!("`{name}` with {}", Printable::new(&arguments))
        }
        None => format!("`{name}`"),
    }
}

/// The call that waits inside of one that paused, as people may see it.
fn shown_inside(pending: &Pending, waits: &Waiting) -> String {
    let tool = Printable::new(&waits.tool).one_line().to_string();
    let arguments = waits.arguments.as_deref();
    let arguments = arguments.map(|arguments| format!(" with {}", Printable::new(arguments)));
    format!(
        "`{tool}`{}, which `{}` calls,",
        arguments.unwrap_or_default(),
        pending.call.name
    )
}

/// A call that a person lets run with the arguments that the question of this number shows.
fn approval(
    said: Option<&ElicitResult>,
    message: String,
    number: u64,
) -> Result<Decision, Box<InputQuestion>> {
    let reject = |why: &str| Ok(Decision::Reject(why.into()));
    match said {
        Some(ElicitResult::Accept(said)) if said.get("approve") == Some(&Value::Bool(true)) => {
            Ok(Decision::Approve)
        }
        Some(ElicitResult::Accept(said)) => {
            let reason = said.get("reason").and_then(Value::as_str);
            reject(reason.unwrap_or_default())
        }
        Some(ElicitResult::Decline) => reject(""),
        Some(ElicitResult::Cancel) => reject("nobody decided"),
        None => {
            let properties = json!({
                "approve": {"type": "boolean", "title": "Run it"},
                "reason": {"type": "string", "title": "Why not"},
            });
            Err(Box::new(InputQuestion {
                key: APPROVAL.into(),
                message,
                schema: object(&properties, &["approve"]),
                is_result: false,
                shows: Some(number),
            }))
        }
    }
}

/// A call that a person answers.
fn manual(
    said: Option<&ElicitResult>,
    message: &str,
    number: Option<u64>,
) -> Result<Decision, Box<InputQuestion>> {
    let Some(answer) = said else {
        return Err(Box::new(InputQuestion {
            key: ANSWER.into(),
            message: message.trim_end().to_owned(),
            schema: object(&json!({"answer": {"type": "string"}}), &["answer"]),
            is_result: false,
            shows: number,
        }));
    };
    let ModelText { text, is_error } = say(answer);
    Ok(if is_error {
        Decision::Reject(text)
    } else {
        Decision::Answer(text.into())
    })
}
