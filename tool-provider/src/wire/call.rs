//! The calls of a response, as far as they can be read.

use std::borrow::Cow;
use std::collections::HashSet;
use toolwright_json::{ObjectWriter, quoted};

use serde_json::value::RawValue;

use super::read::{Members, exact, is_object, is_string, text_or_json};
use crate::call::{ToolCall, ToolResult};
use toolwright_schema::text::ShortStr;

/// A call. Unreadable parts are absent: any value in the place of a call needs an answer.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct RawCall<'t> {
    pub(super) id: Option<&'t RawValue>,
    pub(super) name: Option<&'t RawValue>,
    pub(super) arguments: Option<&'t RawValue>,
}

impl<'t> RawCall<'t> {
    pub(super) fn of([id, name, arguments]: [Option<&'t RawValue>; 3]) -> Self {
        Self {
            id,
            name,
            arguments,
        }
    }

    /// The call, under the id that it is answered by.
    pub(super) fn under(&self, id: ShortStr) -> ToolCall {
        ToolCall {
            id,
            name: self.name().into(),
            arguments: self.arguments().into(),
        }
    }

    pub(super) fn name(&self) -> Cow<'t, str> {
        text_or_json(self.name)
    }

    pub(super) fn arguments(&self) -> Cow<'t, str> {
        text_or_json(self.arguments)
    }

    pub(super) fn given_id(&self) -> Option<Cow<'t, str>> {
        exact(self.id?.get()).filter(|id| !id.is_empty())
    }

    /// The JSON of the id that the call is answered by, where it has another one or none: the
    /// provider would not find the call that an answer belongs to.
    pub(super) fn new_id(&self, id: &str) -> Option<String> {
        let is_under = self.given_id().is_some_and(|given| given == id);
        (!is_under).then(|| quoted(id))
    }
}

/// Finds the call that an element is, if it is one.
pub(super) type ReadCall = for<'t> fn(&Members<'t>) -> Option<RawCall<'t>>;

/// An element of a list in which calls stand, read.
#[derive(Debug)]
pub(super) struct Element<'t> {
    /// As it came.
    pub(super) json: &'t RawValue,
    pub(super) members: Members<'t>,
    call: Option<RawCall<'t>>,
}

impl Element<'_> {
    pub(super) fn is_call(&self) -> bool {
        self.call.is_some()
    }
}

/// A list in which calls stand, read.
#[derive(Debug, Default)]
pub(super) struct Elements<'t>(Vec<Element<'t>>);

impl<'t> Elements<'t> {
    pub(super) fn read(elements: Vec<&'t RawValue>, call: ReadCall) -> Self {
        let read = elements.into_iter().map(|json| {
            let members = Members::of(Some(json));
            Element {
                json,
                call: call(&members),
                members,
            }
        });
        Self(read.collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Element<'t>> {
        self.0.iter()
    }

    /// The calls, in order, each under the id that it is answered by.
    pub(super) fn calls(&self) -> Vec<ToolCall> {
        let calls = self.raw_calls().zip(self.ids());
        calls.map(|(call, id)| call.under(id)).collect()
    }

    /// The elements as they go back; `None` if all go as they came. The calls have these `ids`, or their own. `mended` writes a call that has
    /// to be another: one without the id that it is answered by, or that the provider would refuse.
    pub(super) fn echo(
        &self,
        ids: Option<&[ShortStr]>,
        mended: impl Fn(&Element<'t>, &RawCall<'t>, &str) -> Option<String>,
    ) -> Option<Vec<String>> {
        let mut ids = ids.map_or_else(|| self.ids(), <[_]>::to_vec).into_iter();
        let mut is_changed = false;
        let echoed = self.iter().map(|element| {
            let call = element.call.as_ref();
            let mended = call.and_then(|call| mended(element, call, &ids.next()?));
            is_changed |= mended.is_some();
            mended.unwrap_or_else(|| element.json.get().to_owned())
        });
        let echoed: Vec<_> = echoed.collect();
        is_changed.then_some(echoed)
    }

    /// The words that stand under `text`, of elements whose `type` is this one.
    pub(super) fn words(&self, kind: &str) -> String {
        let found = self.iter().map(|element| words_if(&element.members, kind));
        found.collect()
    }

    fn raw_calls(&self) -> impl Iterator<Item = &RawCall<'t>> {
        self.iter().filter_map(|element| element.call.as_ref())
    }

    /// The id of each call.
    fn ids(&self) -> Vec<ShortStr> {
        let given: Vec<_> = self.raw_calls().map(RawCall::given_id).collect();
        with_made(&given)
    }
}

/// The words of an element that stand under `text`, if its `type` is this one.
pub(super) fn words_if(element: &Members<'_>, kind: &str) -> String {
    let found = element.get("type").filter(|found| is_string(found, kind));
    found.map(|_| element.words("text")).unwrap_or_default()
}

/// The ids of calls under which their results stand. A result of another id is of a call that has none, in order, if there
/// are as many: the host gave these calls other ids.
pub(super) fn answered_ids(calls: &[ToolCall], results: &[ToolResult]) -> Vec<ShortStr> {
    let is_answered = |call: &ToolCall| results.iter().any(|result| result.id == call.id);
    let is_of_other = |result: &&ToolResult| calls.iter().all(|call| call.id != result.id);
    let open = calls.iter().filter(|call| !is_answered(call)).count();
    let mut others = results.iter().filter(is_of_other);
    if others.clone().count() != open {
        return calls.iter().map(|call| call.id.clone()).collect();
    }
    let ids = calls.iter().map(|call| {
        let other = if is_answered(call) {
            None
        } else {
            others.next()
        };
        other.map_or(&call.id, |result| &result.id).clone()
    });
    ids.collect()
}

/// The given ids, and unique new ones for calls without an id or with the id of an earlier call.
pub(super) fn with_made(given: &[Option<Cow<'_, str>>]) -> Vec<ShortStr> {
    if let [Some(only)] = given {
        return vec![only.as_ref().into()];
    }
    let all: HashSet<&str> = given.iter().flatten().map(|id| &**id).collect();
    let mut left = all.clone();
    let made = given.iter().enumerate().map(|(index, id)| {
        if let Some(id) = id.as_deref().filter(|id| left.remove(id)) {
            return id.into();
        }
        let mut made = format!("call_{index}");
        while all.contains(&*made) {
            made.push('_');
        }
        made.into()
    });
    made.collect()
}

/// Returns an object for arguments that are not one, for providers that take only objects. It is the object in
/// a string, or the text under a key that marks it as invalid. `None` if the arguments are an object.
///
/// The key is the one of Anthropic's documentation, "Fine-grained tool streaming", 2026-08.
pub(super) fn mended(arguments: Option<&RawValue>) -> Option<String> {
    let json = arguments.map_or("", RawValue::get);
    if json.starts_with('{') {
        return None;
    }
    Some(as_object(&text_or_json(arguments)))
}

/// Arguments as an object: see [`mended`].
pub(super) fn as_object(arguments: &str) -> String {
    if arguments.trim().is_empty() || arguments == "null" {
        return "{}".into();
    }
    if is_object(arguments) {
        return arguments.to_owned();
    }
    let kept = quoted(arguments);
    ObjectWriter::new().json("INVALID_JSON", &kept).end()
}
