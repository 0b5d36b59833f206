//! The arguments of a call, from their text into typed slots.

use serde::de::DeserializeOwned;

use crate::__private::Slot;
use crate::fault::Reporter;
use crate::json::{Error, Json, Problem};
use crate::schema::{Field, Kind, Presence, Shape};
use crate::{Call, Fault, ToolError};

/// At most so many parameters: one bit each says whether it was given.
pub(crate) const MOST_PARAMS: usize = 64;

/// At most so many faults are told; a model repairs the first ones first.
const MOST_FAULTS: usize = 16;

/// What stands for missing arguments: providers send nothing, or `null`, for a call without any.
fn arguments<'a>(call: &Call<'a>) -> &'a str {
    match call.arguments().trim_matches([' ', '\n', '\r', '\t']) {
        "" | "null" => "{}",
        _ => call.arguments(),
    }
}

/// Fills one slot a parameter.
///
/// The hot path stops at the first fault and forgets it; the cold path reads the text again and
/// collects them all.
pub(crate) fn decode_params<'a>(
    call: &Call<'a>,
    params: &'static [Field],
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<(), ToolError> {
    let text = arguments(call);
    match fill(text, call, params, slots) {
        Ok(true) => Ok(()),
        Ok(false) | Err(_) => Err(refuse(text, call, params, slots)),
    }
}

/// One bit a parameter.
#[derive(Default, Clone, Copy)]
struct Given(u64);

impl Given {
    /// Notes a parameter; `false` if it was there.
    fn note(&mut self, index: usize) -> bool {
        let bit = 1 << (index % MOST_PARAMS);
        let new = self.0 & bit == 0;
        self.0 |= bit;
        new
    }

    fn has(self, index: usize) -> bool {
        self.0 & (1 << (index % MOST_PARAMS)) != 0
    }
}

/// The parameter of this name. Arguments mostly come in the order of the schema, so the search
/// starts where the last one ended.
fn position(params: &[Field], key: &str, next: usize) -> Option<usize> {
    let (before, after) = params.split_at_checked(next).unwrap_or((params, &[]));
    let find = |fields: &[Field]| fields.iter().position(|field| field.name == key);
    find(after)
        .map(|at| at + before.len())
        .or_else(|| find(before))
}

/// `false` where something that the caller must look for is wrong.
fn fill<'a>(
    text: &'a str,
    call: &Call<'a>,
    params: &[Field],
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<bool, Error> {
    let mut json = Json::new(text, call.store());
    if !json.open_object()? {
        return Ok(false);
    }
    let mut given = Given::default();
    let (mut first, mut next) = (true, 0);
    while json.next_in_object(first)? {
        first = false;
        let key = json.object_key()?;
        let Some(index) = position(params, key, next) else {
            return Ok(false);
        };
        next = index + 1;
        let Some(slot) = slots.get_mut(index).filter(|_| given.note(index)) else {
            return Ok(false);
        };
        slot.fill(&mut json)?;
    }
    json.finish()?;
    for (index, (field, slot)) in params.iter().zip(slots).enumerate() {
        if given.has(index) {
            continue;
        }
        match field.presence {
            Presence::Required => return Ok(false),
            Presence::Optional => slot.fill(&mut Json::new("null", call.store()))?,
            Presence::Defaulted | Presence::Never => {}
        }
    }
    Ok(true)
}

/// Every fault of the arguments.
#[cold]
fn refuse<'a>(
    text: &'a str,
    call: &Call<'a>,
    params: &'static [Field],
    slots: &mut [&mut dyn Slot<'a>],
) -> ToolError {
    let reporter = Reporter { text, root: params };
    // A text that is no JSON has that one fault, wherever the reading of values stopped.
    let mut json = Json::new(text, call.store());
    if let Err(error) = json.skip().and_then(|_| json.finish()) {
        return ToolError::invalid_args(vec![reporter.fault(error)]);
    }
    let mut json = Json::new(text, call.store());
    let mut faults = Faults::default();
    match json.open_object() {
        Ok(true) => {}
        Ok(false) => return ToolError::invalid_args(vec![reporter.not_object()]),
        Err(error) => return ToolError::invalid_args(vec![reporter.fault(error)]),
    }
    let mut given = Given::default();
    let mut first = true;
    while let Ok(true) = json.next_in_object(first) {
        first = false;
        let Ok(key) = json.object_key() else { break };
        let (start, depth) = (json.offset(), json.depth());
        let problem = match position(params, key, 0) {
            None => Some(Error::at(Problem::UnknownKey(key.to_owned()), start)),
            Some(index) if !given.note(index) => {
                Some(Error::at(Problem::DuplicateKey(key.to_owned()), start))
            }
            Some(index) => match slots.get_mut(index).map(|slot| slot.fill(&mut json)) {
                Some(Err(error)) => Some(error.in_entry(key, start)),
                Some(Ok(())) | None => None,
            },
        };
        if let Some(problem) = problem {
            faults.push(reporter.fault(problem));
            json.rewind(start, depth);
            if json.skip().is_err() {
                break;
            }
        }
    }
    for (index, field) in params.iter().enumerate() {
        if field.presence == Presence::Required && !given.has(index) {
            let missing = Error::new(Problem::Missing(field.name.into()));
            faults.push(reporter.fault(missing));
        }
    }
    faults.into_error()
}

#[derive(Default)]
struct Faults {
    listed: Vec<Fault>,
    more: usize,
}

impl Faults {
    fn push(&mut self, fault: Fault) {
        if self.listed.len() < MOST_FAULTS {
            self.listed.push(fault);
        } else {
            self.more += 1;
        }
    }

    fn into_error(self) -> ToolError {
        let error = ToolError::invalid_args(self.listed);
        match self.more {
            0 => error,
            more => error.with_message(format!("and {more} more faults")),
        }
    }
}

/// Fills the one slot of a tool whose arguments are one struct.
pub(crate) fn decode_root<'a>(
    call: &Call<'a>,
    root: &'static Shape,
    slot: &mut dyn Slot<'a>,
) -> Result<(), ToolError> {
    let text = arguments(call);
    let mut json = Json::new(text, call.store());
    let filled = slot.fill(&mut json).and_then(|()| json.finish());
    filled.map_err(|error| refuse_root(text, call, Some(root), error))
}

#[cold]
fn refuse_root(text: &str, call: &Call<'_>, root: Option<&Shape>, error: Error) -> ToolError {
    let fields = match root.map(|root| root.kind) {
        Some(Kind::Object(object)) => object.fields,
        _ => &[],
    };
    let reporter = Reporter { text, root: fields };
    let mut json = Json::new(text, call.store());
    let fault = match json.skip().and_then(|_| json.finish()) {
        Err(error) => reporter.fault(error),
        Ok(()) if !text.trim_start().starts_with('{') => reporter.not_object(),
        Ok(()) => reporter.fault(error.located(0)),
    };
    ToolError::invalid_args(vec![fault])
}

/// Decodes the whole arguments as one value.
pub(crate) fn decode_value<T: DeserializeOwned>(
    call: &Call<'_>,
    root: Option<&'static Shape>,
) -> Result<T, ToolError> {
    let text = arguments(call);
    let mut json = Json::new(text, call.store());
    if json.peek() != Some(b'{') {
        let error = json.syntax("an object");
        return Err(refuse_root(text, call, root, error));
    }
    let value = T::deserialize(&mut json).and_then(|value| json.finish().map(|()| value));
    value.map_err(|error| refuse_root(text, call, root, error))
}
