//! The arguments of a call, from their text into typed slots.

use serde::de::DeserializeOwned;

use crate::__private::Slot;
use crate::fault::Reporter;
use crate::json::{Error, Json, Place, Problem};
use crate::schema::{Field, Presence, Shape};
use crate::{Call, Fault, ToolError};

/// At most so many parameters: one bit each says whether it was given.
pub(crate) const MOST_PARAMS: usize = 64;

/// At most so many faults are told; a model repairs the first ones first.
const MOST_FAULTS: usize = 16;

/// What stands for missing arguments: providers send nothing, or `null`, for a call without any.
fn arguments<'a>(call: &Call<'a>) -> &'a str {
    let text = call.arguments();
    if text.starts_with('{') {
        return text;
    }
    match text.trim_matches([' ', '\n', '\r', '\t']) {
        "" | "null" => "{}",
        _ => text,
    }
}

/// Fills one slot a parameter.
///
/// The hot path stops at the first fault; the cold path reads the text again and collects them all.
pub(crate) fn decode_params<'a>(
    call: &Call<'a>,
    params: &'static [Field],
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<(), ToolError> {
    let text = arguments(call);
    match fill(text, call, params, slots) {
        Ok(()) => Ok(()),
        Err(error) => Err(refuse(text, call, params, slots, error)),
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

/// What a parameter gets that is not given.
fn leave_out<'a>(field: &Field, slot: &mut dyn Slot<'a>, call: &Call<'a>) -> Result<(), Error> {
    let left_out = match field.presence {
        Presence::Required => None,
        Presence::Optional => slot.fill(&mut Json::new("null", call.store())).ok(),
        Presence::Defaulted | Presence::Never => Some(()),
    };
    left_out.ok_or_else(|| Error::missing_key(field.name))
}

fn fill<'a>(
    text: &'a str,
    call: &Call<'a>,
    params: &[Field],
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<(), Error> {
    let mut json = Json::new(text, call.store());
    json.enter_object()?;
    let mut given = Given::default();
    let (mut place, mut next) = (Place::Opened, 0);
    while let Some(key) = json.next_key(&mut place)? {
        let index = position(params, key, next);
        let Some((index, slot)) = index.and_then(|at| Some((at, slots.get_mut(at)?))) else {
            return Err(Error::unknown_key(key, &[]));
        };
        if !given.note(index) {
            return Err(Error::duplicate_key(key));
        }
        next = index + 1;
        slot.fill(&mut json)?;
    }
    json.finish()?;
    for (index, (field, slot)) in params.iter().zip(slots).enumerate() {
        if !given.has(index) {
            leave_out(field, *slot, call)?;
        }
    }
    Ok(())
}

/// Every fault of the arguments, of which `first` is known.
#[cold]
fn refuse<'a>(
    text: &'a str,
    call: &Call<'a>,
    params: &'static [Field],
    slots: &mut [&mut dyn Slot<'a>],
    first: Error,
) -> ToolError {
    let reporter = Reporter::new(text, Some(&Shape::object(params)));
    if let Some(fault) = reporter.no_object() {
        return ToolError::invalid_args(vec![fault]);
    }
    let mut faults = Faults::default();
    let mut given = Given::default();
    let mut json = Json::new(text, call.store());
    let mut place = Place::Opened;
    // The text is an object, so none of these fails.
    let _ = json.enter_object();
    while let Ok(Some(key)) = json.next_key(&mut place) {
        let (start, depth) = (json.offset(), json.depth());
        if json.skip().is_err() {
            break;
        }
        let end = json.offset();
        let read = match position(params, key, 0) {
            None => Err(Error::unknown_key(key, &[])),
            Some(index) if !given.note(index) => Err(Error::duplicate_key(key)),
            Some(index) => {
                json.rewind(start, depth);
                let filled = slots.get_mut(index).map(|slot| slot.fill(&mut json));
                let read = match filled {
                    // A type that stops inside its value has not read it.
                    Some(Ok(())) if json.offset() != end => {
                        Err(Error::new(Problem::Type { wanted: "" }))
                    }
                    filled => filled.unwrap_or(Ok(())),
                };
                read.map_err(|error| error.inside_key(key, start))
            }
        };
        if let Err(error) = read {
            faults.push(&reporter, error);
        }
        json.rewind(end, depth);
    }
    for (index, (field, slot)) in params.iter().zip(slots).enumerate() {
        if !given.has(index)
            && let Err(error) = leave_out(field, *slot, call)
        {
            faults.push(&reporter, error);
        }
    }
    if faults.listed.is_empty() {
        // A type that refuses a value once and takes it the next time.
        faults.push(&reporter, first.located(0));
    }
    faults.into_error()
}

#[derive(Default)]
struct Faults {
    listed: Vec<Fault>,
    more: usize,
}

impl Faults {
    fn push(&mut self, reporter: &Reporter<'_>, error: Error) {
        if self.listed.len() < MOST_FAULTS {
            self.listed.push(reporter.fault(error));
        } else {
            self.more += 1;
        }
    }

    fn into_error(self) -> ToolError {
        let error = ToolError::invalid_args(self.listed);
        match self.more {
            0 => error,
            1 => error.with_message("and 1 more fault"),
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
    decode_whole(call, Some(root), |json| slot.fill(json))
}

/// Decodes the whole arguments as one value.
pub(crate) fn decode_value<T: DeserializeOwned>(
    call: &Call<'_>,
    root: Option<&'static Shape>,
) -> Result<T, ToolError> {
    decode_whole(call, root, |json| T::deserialize(json))
}

fn decode_whole<'a, T>(
    call: &Call<'a>,
    root: Option<&'static Shape>,
    read: impl FnOnce(&mut Json<'a>) -> Result<T, Error>,
) -> Result<T, ToolError> {
    let text = arguments(call);
    let mut json = Json::new(text, call.store());
    let value = if json.peek() == Some(b'{') {
        read(&mut json).and_then(|value| json.finish().map(|()| value))
    } else {
        Err(json.mismatch("an object"))
    };
    value.map_err(|error| refuse_whole(text, root, error))
}

#[cold]
fn refuse_whole(text: &str, root: Option<&'static Shape>, error: Error) -> ToolError {
    let reporter = Reporter::new(text, root);
    let fault = reporter.no_object();
    let fault = fault.unwrap_or_else(|| reporter.fault(error.located(0)));
    ToolError::invalid_args(vec![fault])
}
