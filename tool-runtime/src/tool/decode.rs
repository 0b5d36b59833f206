//! The arguments of a call, from their text into typed slots.

mod refuse;

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use toolwright_json::Place;

use self::refuse::repair;
use self::refuse::{Refused, RepairedText, refuse, refuse_whole};
use crate::tool::{Call, Slot, naming_arguments, with_names_of_today};
use toolwright_provider::call::OldNames;
use toolwright_provider::call::ToolError;
use toolwright_schema::decode::walk::{self, Defaults, WalkOptions};
use toolwright_schema::decode::{
    Checker, Error, Expected, Fault, FaultCode, Json, Repair, position,
};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Field, Object, Presence, Shape};

/// Maximum number of parameters: one bit each records that it was given.
pub(crate) const MOST_PARAMS: usize = 64;

/// Returns the arguments' text, under the names of today, and how it was changed. Providers send nothing, or `null`, for a
/// call without arguments.
#[inline]
fn arguments<'a, S: AsRef<str>>(
    call: &Call<'a>,
    was: &[(S, S)],
) -> Result<(&'a str, Vec<Repair>), ToolError> {
    let text = text_of(call)?;
    if was.is_empty() {
        return Ok((text, Vec::new()));
    }
    Ok(under_names_of_today(text, call, was))
}

#[cold]
fn under_names_of_today<'a, S: AsRef<str>>(
    text: &'a str,
    call: &Call<'a>,
    was: &[(S, S)],
) -> (&'a str, Vec<Repair>) {
    if call.reads_old_names()
        && let Some((today, repairs)) = with_names_of_today(text, was)
    {
        return (call.arena().cursor().keep(today), repairs);
    }
    (text, Vec::new())
}

#[inline]
fn text_of<'a>(call: &Call<'a>) -> Result<&'a str, ToolError> {
    let text = call.arguments();
    let most = call.limits().max_bytes;
    if text.len() > most {
        return Err(ToolError::invalid_args(vec![too_large(most)]));
    }
    if text.starts_with('{') {
        return Ok(text);
    }
    Ok(match text.trim_matches([' ', '\n', '\r', '\t']) {
        "" | "null" => "{}",
        _ => text,
    })
}

#[cold]
fn too_large(most: usize) -> Fault {
    Fault::new(
        String::new(),
        FaultCode::TooLarge,
        format!("the arguments are longer than {most} bytes"),
    )
}

/// A reader of a call's arguments.
fn reader<'a>(text: &'a str, call: &Call<'a>) -> Json<'a> {
    Json::new(text, call.arena()).at(0, call.limits().depth)
}

/// Fills the slots of the parameters.
///
/// The hot path stops at the first fault; the cold path reads the text again, makes the permitted repairs, and collects
/// every fault.
pub(crate) fn decode_params<'a>(
    call: &Call<'a>,
    params: Object<'static>,
    was: OldArguments,
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<(), ToolError> {
    let (text, renamed) = arguments(call, was)?;
    match fill(text, call, params, slots) {
        Ok(()) => {
            call.arena().repaired(text, renamed);
            Ok(())
        }
        Err(error) => refuse(RepairedText::new(text, renamed), call, params, slots, error)
            .map_err(|error| naming_arguments(error, was)),
    }
}

/// Names that arguments had before, each with the one of today.
type OldArguments = &'static [(&'static str, &'static str)];

/// One bit a parameter.
#[derive(Default, Clone, Copy)]
struct GivenParams(u64);

impl GivenParams {
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

    /// Returns true if the first `count` parameters are given.
    fn are_all(self, count: usize) -> bool {
        self.0.trailing_ones() as usize >= count
    }
}

/// Fills the slot of a parameter that is not given.
fn leave_out<'a>(field: &Field<'_>, slot: &mut dyn Slot<'a>, call: &Call<'a>) -> Result<(), Error> {
    let left_out = match field.presence {
        Presence::Required => None,
        Presence::Optional => slot.fill(&mut Json::new("null", call.arena())).ok(),
        Presence::Defaulted | Presence::Never => Some(()),
    };
    left_out.ok_or_else(|| Error::missing_key(field.name))
}

/// Fills the slot of a parameter with the next value.
fn fill_one<'a>(
    json: &mut Json<'a>,
    field: &Field<'static>,
    slot: &mut dyn Slot<'a>,
) -> Result<(), Error> {
    let mut elsewhere = None;
    slot.fill(json.enter_value(Expected::of(field.shape), &mut elsewhere)?)
}

fn fill<'a>(
    text: &'a str,
    call: &Call<'a>,
    params: Object<'static>,
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<(), Error> {
    let mut json = reader(text, call);
    json.enter_object()?;
    let mut given = GivenParams::default();
    let (mut place, mut next) = (Place::Opened, 0);
    let mut others = None;
    loop {
        let expected = params.fields.get(next);
        let (key, found) = match expected.filter(|field| json.take_key(&mut place, field)) {
            Some(field) => (field.name, Some((next, field))),
            None if json.take_end(&mut place) => break,
            None => match json.next_key(&mut place)? {
                Some(key) => (key, position(params.fields, key, next)),
                None => break,
            },
        };
        let Some((index, field, slot)) =
            found.and_then(|(at, field)| Some((at, field, slots.get_mut(at)?)))
        else {
            if !params.open {
                return Err(Error::unknown_key(key, &[]));
            }
            json.pass(key, &mut others)?;
            continue;
        };
        next = index + 1;
        if !given.note(index) {
            return Err(Error::duplicate_key(key));
        }
        fill_one(&mut json, field, *slot)?;
    }
    json.finish()?;
    if given.are_all(params.fields.len()) {
        return Ok(());
    }
    for (index, (field, slot)) in params.fields.iter().zip(slots).enumerate() {
        if !given.has(index) {
            leave_out(field, *slot, call)?;
        }
    }
    Ok(())
}

/// Fills the one slot of a tool whose arguments are one struct.
pub(crate) fn decode_root<'a>(
    call: &Call<'a>,
    root: &'static Shape<'static>,
    was: OldArguments,
    slot: &mut dyn Slot<'a>,
) -> Result<(), ToolError> {
    let decoded = decode_whole(call, Some(root), was, |json| slot.fill(json));
    decoded
        .map(|_| ())
        .map_err(|error| naming_arguments(error, was))
}

/// Decodes the whole arguments as one value.
pub(crate) fn decode_value<T: DeserializeOwned>(
    call: &Call<'_>,
    root: Option<&'static Shape<'static>>,
) -> Result<T, ToolError> {
    decode_value_of(call, root).map(|(value, _)| value)
}

/// Decodes the whole arguments as one value. Also returns the text that was read, repaired if needed.
pub(crate) fn decode_value_of<'a, T: DeserializeOwned>(
    call: &Call<'a>,
    root: Option<&'static Shape<'static>>,
) -> Result<(T, &'a str), ToolError> {
    decode_whole(call, root, &[], |json| T::deserialize(json))
}

/// Checks the whole arguments against a schema that arrived at run time. Returns their text, repaired if needed.
pub(crate) fn check<'a>(
    call: &Call<'a>,
    root: &Shape<'_>,
    has_secrets: bool,
    was: &OldNames,
) -> Result<&'a str, ToolError> {
    let was = &was.arguments;
    let (text, renamed) = arguments(call, was)?;
    let reading = refuse::reading_at_run_time(text, call);
    match walk::admits_arguments(text, reading, root) {
        Some(true) => {
            call.arena().repaired(text, renamed);
            Ok(text)
        }
        Some(false) => repair(RepairedText::new(text, renamed), call, root, has_secrets)
            .map_err(|error| naming_arguments(error, was)),
        None => Err(refuse::too_costly()),
    }
}

/// Adds defaults to arguments that a schema admits.
pub(crate) fn filled<'a>(
    call: &Call<'a>,
    text: &'a str,
    root: &Shape<'_>,
    defaults: &Defaults,
) -> Result<&'a str, ToolError> {
    if defaults.is_empty() {
        return Ok(text);
    }
    let reading = refuse::reading_at_run_time(text, call);
    match walk::filled(text, reading, root, defaults) {
        Some(Cow::Owned(filled)) => Ok(call.arena().cursor().keep(filled)),
        Some(Cow::Borrowed(text)) => Ok(text),
        None => Err(refuse::too_costly()),
    }
}

/// Returns arguments with the defaults of a schema, if they are valid and lack some.
pub(crate) fn with_defaults(schema: &SchemaDoc, arguments: &str) -> Option<String> {
    let schema = schema.as_json();
    if !schema.contains("\"default\"") {
        return None;
    }
    let checker = Checker::of(schema, usize::MAX).ok()?;
    let text = match arguments.trim() {
        "" | "null" => "{}",
        _ => arguments,
    };
    let reading = WalkOptions::at_run_time(text);
    match walk::filled(text, reading, checker.root(), checker.defaults())? {
        Cow::Owned(filled) => Some(filled),
        Cow::Borrowed(_) => None,
    }
}

fn decode_whole<'a, T>(
    call: &Call<'a>,
    root: Option<&'static Shape<'static>>,
    was: OldArguments,
    mut read: impl FnMut(&mut Json<'a>) -> Result<T, Error>,
) -> Result<(T, &'a str), ToolError> {
    let (text, renamed) = arguments(call, was)?;
    let expected = root.map_or(Expected::Typed, Expected::Shaped);
    let mut whole = |text| {
        let mut json = reader(text, call);
        if json.peek() != Some(b'{') {
            return Err(json.mismatch("an object"));
        }
        let mut elsewhere = None;
        let value = read(json.enter_value(expected, &mut elsewhere)?)?;
        json.finish()?;
        Ok(value)
    };
    let error = match whole(text) {
        Ok(value) => {
            call.arena().repaired(text, renamed);
            return Ok((value, text));
        }
        Err(error) => error,
    };
    match refuse_whole(RepairedText::new(text, renamed), call, root, error) {
        Refused::Told(error) => Err(error),
        Refused::RepairedText(repaired) => match whole(repaired.text) {
            Ok(value) => {
                let text = repaired.text;
                repaired.note(call);
                Ok((value, text))
            }
            Err(error) => Err(repaired.refused(root, error)),
        },
    }
}
