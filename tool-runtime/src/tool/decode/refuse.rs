//! Arguments that could not be read: repaired, or refused with every fault.

use toolwright_json::{Expected, Place, Scanner};

use super::{GivenParams, fill, fill_one, leave_out, reader};
use crate::tool::{Call, Slot};
use toolwright_provider::call::ToolError;
use toolwright_schema::decode::fault::say;
use toolwright_schema::decode::{
    Error, Fault, FaultCode, Mismatch, Repair, RepairKind, Repairs, Reporter, Segment, WalkReport,
    holds_secret, position, walk,
};
use toolwright_schema::shape::{Object, Shape};

/// Result of reading invalid arguments again.
pub(super) enum Refused<'a> {
    /// All that is wrong.
    Told(ToolError),
    /// Nothing, once they are repaired.
    RepairedText(RepairedText<'a>),
}

/// A text that was repaired, and how.
pub(super) struct RepairedText<'a> {
    pub(super) text: &'a str,
    repairs: Vec<Repair>,
}

/// The object that the arguments are, decoded once more if they were encoded twice.
fn object<'a>(
    repaired: RepairedText<'a>,
    call: &Call<'a>,
    is_secret: bool,
) -> Result<RepairedText<'a>, ToolError> {
    let RepairedText {
        mut text,
        mut repairs,
    } = repaired;
    loop {
        let mut json = reader(text, call);
        let fault = match json.skip().and_then(|_| json.finish()) {
            Err(error) => not_json(text, error, call, is_secret),
            Ok(()) if text.trim_start().starts_with('{') => {
                return Ok(RepairedText { text, repairs });
            }
            Ok(()) => Fault::new(
                String::new(),
                FaultCode::NotObject,
                say::not_object(text, is_secret),
            ),
        };
        match decoded(text, call) {
            Some(inner) if call.repairs() == Repairs::All && repairs.len() < 4 => {
                let told = |text| {
                    if is_secret {
                        say::kept_back(text, 0)
                    } else {
                        say::shortened(text)
                    }
                };
                repairs.push(Repair::new(
                    String::new(),
                    RepairKind::Decoded,
                    told(text.trim()),
                    told(inner),
                ));
                text = inner;
            }
            _ => return Err(ToolError::invalid_args(vec![fault])),
        }
    }
}

/// The object, or the string around one, inside a text that is one string.
fn decoded<'a>(text: &'a str, call: &Call<'a>) -> Option<&'a str> {
    if !text.trim_start().starts_with('"') {
        return None;
    }
    let mut json = reader(text, call);
    let inner = match json.string().ok()? {
        Ok(text) => text,
        Err(text) => call.arena().cursor().keep(text),
    };
    json.finish().ok()?;
    let inner = inner.trim_matches([' ', '\n', '\r', '\t']);
    inner.starts_with(['{', '"']).then_some(inner)
}

fn not_json(text: &str, error: Error, call: &Call<'_>, is_secret: bool) -> Fault {
    let (problem, at, _) = error.into_parts();
    let mut path = Vec::new();
    let is_half =
        matches!(problem, Mismatch::Syntax { expected } if expected == Expected::Pair.as_str());
    if is_half && !is_secret {
        find_broken(&mut Scanner::new(text), &mut path);
    }
    let (code, message) = match problem {
        Mismatch::Syntax { expected } => (
            FaultCode::InvalidJson,
            say::not_json(text, expected, at.unwrap_or_default(), is_secret),
        ),
        _ => (
            FaultCode::TooDeep,
            format!(
                "more than {} arrays and objects inside each other",
                call.limits().depth
            ),
        ),
    };
    Fault::new(say::path(&path), code, message)
}

/// Adds the path of the first value that cannot be read. A broken key has the path of its object.
fn find_broken(json: &mut Scanner<'_>, path: &mut Vec<Segment>) -> Option<()> {
    let mut place = Place::Opened;
    let is_array = json.peek() == Some(b'[');
    if !is_array && json.peek() != Some(b'{') {
        return None;
    }
    json.open().ok()?;
    for index in 0.. {
        path.push(if is_array {
            json.next_element(&mut place)
                .ok()
                .filter(|is_more| *is_more)?;
            Segment::Index(index)
        } else {
            Segment::Key(json.next_key(&mut place).ok()??.into_owned())
        });
        let mut rest = json.clone();
        if rest.skip().is_err() {
            return find_broken(json, path);
        }
        *json = rest;
        path.pop();
    }
    None
}

fn reading(call: &Call<'_>) -> walk::WalkOptions {
    walk::WalkOptions {
        depth: call.limits().depth,
        is_typed: true,
        budget: walk::Budget::NONE,
    }
}

/// Reading by a run-time schema, for a handler that reads the arguments as they are.
pub(crate) fn reading_at_run_time(text: &str, call: &Call<'_>) -> walk::WalkOptions {
    walk::WalkOptions {
        is_typed: false,
        budget: walk::Budget::of(text),
        ..reading(call)
    }
}

#[cold]
pub(super) fn too_costly() -> ToolError {
    ToolError::invalid_args(vec![Fault::new(
        String::new(),
        FaultCode::TooLarge,
        "the arguments take too long to check against the tool's schema; send fewer keys \
                  and elements"
            .to_owned(),
    )])
}

/// Repairs arguments that a schema does not admit, or reports every fault.
#[cold]
pub(super) fn repair<'a>(
    arguments: RepairedText<'a>,
    call: &Call<'a>,
    root: &Shape<'_>,
    has_secrets: bool,
) -> Result<&'a str, ToolError> {
    // The schema does not know which part is secret.
    let root = &if has_secrets { root.secret() } else { *root };
    let RepairedText { text, mut repairs } = object(arguments, call, has_secrets)?;
    let found =
        |repairs| walk::collect_faults(text, reading_at_run_time(text, call), root, repairs);
    let mut all = found(call.repairs());
    if all.misses_what_it_dropped() {
        all = found(Repairs::None);
    }
    if all.faults.is_empty() && !all.is_cut {
        let repaired = match all.text.take() {
            Some(text) => call.arena().cursor().keep(text),
            None => text,
        };
        // One part of a schema may refuse what another repaired.
        match walk::admits_arguments(repaired, reading_at_run_time(text, call), root) {
            Some(true) => {
                repairs.append(&mut all.repairs);
                call.arena().repaired(repaired, repairs);
                return Ok(repaired);
            }
            Some(false) => all = found(Repairs::None),
            None => return Err(too_costly()),
        }
    }
    if all.is_cut {
        return Err(too_costly());
    }
    if all.faults.is_empty() {
        // No part of the schema reports its fault.
        all.push(0, || {
            Fault::new(
                String::new(),
                FaultCode::Bound,
                "the arguments do not fit the tool's schema".to_owned(),
            )
        });
    }
    Err(into_error(all))
}

/// Repairs the arguments and fills the slots, or reports every fault, starting with `first`.
#[cold]
pub(super) fn refuse<'a>(
    arguments: RepairedText<'a>,
    call: &Call<'a>,
    params: Object<'static>,
    slots: &mut [&mut dyn Slot<'a>],
    first: Error,
) -> Result<(), ToolError> {
    let root = Shape::new(toolwright_schema::shape::Kind::Object(params));
    let RepairedText { text, mut repairs } = object(arguments, call, holds_secret(&root))?;
    let mut found = walk::collect_faults(text, reading(call), &root, call.repairs());
    repairs.append(&mut found.repairs);
    // Opaque types may buffer, too, and then distinguish integers by their spelling.
    let is_other = found.text.is_some() || !repairs.is_empty();
    let repaired = match found.text.take() {
        Some(text) => call.arena().cursor().keep(text),
        None => text,
    };
    if found.faults.is_empty() && is_other && fill(repaired, call, params, slots).is_ok() {
        call.arena().repaired(repaired, repairs);
        return Ok(());
    }
    let reporter = Reporter::new(repaired, Some(&root));
    typed_faults(&mut found, &reporter, call, params, slots);
    if found.faults.is_empty() {
        // A type that refuses a value once and takes it the next time.
        push(&mut found, 0, &reporter, first.located(0));
    }
    Err(into_error(found))
}

/// Collects faults that types report and the walk does not, parameter by parameter.
fn typed_faults<'a>(
    found: &mut WalkReport,
    reporter: &Reporter<'a, '_>,
    call: &Call<'a>,
    params: Object<'static>,
    slots: &mut [&mut dyn Slot<'a>],
) {
    let mut given = GivenParams::default();
    let mut json = reader(reporter.text(), call);
    let mut place = Place::Opened;
    // The text is an object, so none of these calls fails.
    let _ = json.enter_object();
    while let Ok(Some(key)) = json.next_key(&mut place) {
        let (start, depth) = (json.offset(), json.depth());
        if json.skip().is_err() {
            break;
        }
        let end = json.offset();
        let Some((index, field)) = position(params.fields, key, 0) else {
            continue;
        };
        let is_first = given.note(index);
        if let Some(slot) = slots.get_mut(index)
            && is_first
            && !found.keys.contains(key)
        {
            json.rewind(start, depth);
            let read = match fill_one(&mut json, field, *slot) {
                // A type that stops inside its value has not read it.
                Ok(()) if json.offset() != end => Err(Error::new(Mismatch::Type { wanted: "" })),
                read => read,
            };
            if let Err(error) = read {
                push(found, start, reporter, error.inside_key(key, start));
            }
        }
        json.rewind(end, depth);
    }
    let end = json.offset();
    for (index, (field, slot)) in params.fields.iter().zip(slots).enumerate() {
        if !given.has(index)
            && !field.is_required()
            && let Err(error) = leave_out(field, *slot, call)
        {
            push(found, end, reporter, error);
        }
    }
}

/// Adds the faults that an error represents.
fn push(found: &mut WalkReport, at: usize, reporter: &Reporter<'_, '_>, error: Error) {
    for error in error.each() {
        found.push(at, || reporter.fault(error));
    }
}

fn into_error(mut found: WalkReport) -> ToolError {
    found.faults.sort_by_key(|(at, _)| *at);
    let faults = found.faults.into_iter().map(|(_, fault)| fault).collect();
    let error = ToolError::invalid_args(faults);
    match found.more {
        0 => error,
        1 => error.with_message("and 1 more fault"),
        more => error.with_message(format!("and {more} more faults")),
    }
}

/// Repairs arguments that are one value, or reports every fault.
#[cold]
pub(super) fn refuse_whole<'a>(
    arguments: RepairedText<'a>,
    call: &Call<'a>,
    root: Option<&'static Shape<'static>>,
    error: Error,
) -> Refused<'a> {
    // A type without a schema still refuses repeated keys.
    let any = Shape::new(toolwright_schema::shape::Kind::Any);
    let shape = root.unwrap_or(&any);
    let RepairedText { text, mut repairs } = match object(arguments, call, holds_secret(shape)) {
        Ok(object) => object,
        Err(error) => return Refused::Told(error),
    };
    let mut found = walk::collect_faults(text, reading(call), shape, call.repairs());
    repairs.append(&mut found.repairs);
    if found.faults.is_empty() {
        if found.text.is_some() || !repairs.is_empty() {
            let text = match found.text.take() {
                Some(text) => call.arena().cursor().keep(text),
                None => text,
            };
            return Refused::RepairedText(RepairedText { text, repairs });
        }
        let reporter = Reporter::new(text, root);
        push(&mut found, 0, &reporter, error.located(0));
    }
    Refused::Told(into_error(found))
}

impl<'a> RepairedText<'a> {
    pub(super) fn new(text: &'a str, repairs: Vec<Repair>) -> Self {
        Self { text, repairs }
    }

    /// Notes that the repaired text was read.
    pub(super) fn note(self, call: &Call<'_>) {
        call.arena().repaired(self.text, self.repairs);
    }

    /// Makes the error of a type that refuses the repaired text.
    pub(super) fn refused(&self, root: Option<&'static Shape<'static>>, error: Error) -> ToolError {
        let mut found = WalkReport::default();
        let reporter = Reporter::new(self.text, root);
        push(&mut found, 0, &reporter, error.located(0));
        into_error(found)
    }
}
