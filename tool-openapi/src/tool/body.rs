//! The body of a tool's request: properties beside the parameters, or one argument.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::arguments::Argument;
use super::{Disposition, Maker, Parts};
use crate::body::{BodyFormat, Form, choose};
use crate::document::At;
use crate::guard::{Guard, Names};
use crate::notice::NoticeKind;
use crate::operation::{Parameter, Place, Refusal};
use crate::request::{BodySource, Source};
use crate::schema::{self, Bases, MergedObject, Property, Side, merged, places};
use crate::text::{folded, readings};

/// Returns true for a body whose schema has properties.
fn has_properties(format: &BodyFormat) -> bool {
    matches!(format.form, Form::Json | Form::Pairs | Form::Multipart)
}

/// Names of the schema of a body.
pub(crate) struct BodyNames<'a, 't> {
    top: schema::Place<'a, 't>,
    /// See [`Guard`].
    inner: Option<Arc<[Names]>>,
    misses_top: bool,
    misses_inner: bool,
}

/// Returns the names of a place. The function gets a property and whether it is read-only, and returns true to refuse it.
fn names<'a, 't>(
    place: &schema::Place<'a, 't>,
    mut is_refused: impl FnMut(&Property<'a, 't>, bool) -> bool,
) -> Names {
    let inner = place.inner.iter().map(|(name, place)| (*name, *place));
    let mut names = Names::new(inner, place.rest);
    // What one part calls read-only is so, whatever the others say.
    let mut barred = HashSet::new();
    for property in &place.properties {
        let name = property.name;
        let is_read_only = property.is_read_only && !place.tags.contains(name);
        if is_refused(property, is_read_only) {
            names.refused.insert(folded(name));
            barred.insert(name);
        } else if !is_read_only {
            names.writable.insert(name.to_owned());
        }
    }
    names.writable.retain(|name| !barred.contains(&**name));
    names
}

impl<'a, 't> Maker<'a, 't> {
    /// Reads the body. Its arguments are added behind those of parameters.
    pub(super) fn body(
        &self,
        parts: &mut Parts<'_, 'a, 't>,
    ) -> Result<Option<(BodyFormat, BodySource)>, Refusal> {
        let found = parts.found;
        let Some(at) = found.at.get("requestBody").filter(|at| !at.value.is_null()) else {
            return Ok(None);
        };
        let place = self.place(&at);
        let at = self
            .documents
            .follow(at)
            .map_err(|why| (place.clone(), why))?;
        let required = at.is("required");
        let content = at
            .get("content")
            .filter(|content| !content.value.entries().is_empty());
        let chosen = match content {
            Some(content) => choose(self.documents, &content),
            None => Err("the body has no content".to_owned()),
        };
        let (mut format, schema) = match chosen {
            Ok(chosen) => chosen,
            // A request can go without it.
            Err(why)
                if !required && matches!(found.operation.method, "GET" | "HEAD" | "DELETE") =>
            {
                let words = format!("{why}, so none is sent");
                let notice = found.notice(NoticeKind::Ignored, place, words);
                parts.notices.push(notice);
                return Ok(None);
            }
            Err(why) => return Err((place, why)),
        };
        let ignored = std::mem::take(&mut format.ignored).into_iter();
        let ignored = ignored.map(|words| found.notice(NoticeKind::Ignored, place.clone(), words));
        parts.notices.extend(ignored);
        parts.is_form = matches!(format.form, Form::Pairs | Form::Multipart);
        let flat = self.flat(&format, schema.as_ref(), required);
        if has_properties(&format) {
            if let Some(schema) = &schema {
                self.guard(parts, &format, schema, flat.is_none())?;
            }
            if flat.is_none() {
                // The schema need not list a name to admit it.
                let presets = self.settings.presets.iter();
                let presets = presets.flat_map(|(name, _)| readings(name));
                parts.guard.top.refused.extend(presets);
                if parts.is_form {
                    parts.guard.top.refused.extend(self.form_credentials());
                }
            }
        }
        if let Some(object) = flat {
            let properties = self.properties(parts, object);
            return Ok(Some((format, BodySource::Properties(properties, required))));
        }
        let description = at.text("description");
        parts.arguments.push(Argument {
            name: "",
            place: Place::Body,
            required,
            description,
            schema,
            at,
        });
        Ok(Some((
            format,
            BodySource::Whole(self.argument(None, required), required),
        )))
    }

    /// Returns the body's properties if they can stand beside the parameters. Those of an optional body with required ones
    /// cannot, since a call could not leave it out.
    fn flat(
        &self,
        format: &BodyFormat,
        schema: Option<&At<'a, 't>>,
        required: bool,
    ) -> Option<MergedObject<'a, 't>> {
        let at = schema.filter(|_| has_properties(format))?;
        let target = self.documents.follow(at.clone()).ok()?;
        if self.bases.get(target.document, &target.pointer).is_some() {
            return None;
        }
        // The properties of a base in a part are not all that a value has, unless this is one of its subtypes.
        for part in target.get("allOf").iter().flat_map(At::items) {
            let part = self.documents.follow(part).ok()?;
            let base = self.bases.get(part.document, &part.pointer);
            if base.is_some_and(|base| !Bases::is_subtype(base, target.document, &target.pointer)) {
                return None;
            }
        }
        let object = merged(self.documents, at, Side::Request)?;
        let is_flat = !object.is_open
            && !object.properties.is_empty()
            && (required || object.required.is_empty());
        is_flat.then_some(object)
    }

    /// Reads which keys the body must not have. Properties of a body that is one argument are decided about here.
    fn guard(
        &self,
        parts: &mut Parts<'_, 'a, 't>,
        format: &BodyFormat,
        schema: &At<'a, 't>,
        is_whole: bool,
    ) -> Result<(), Refusal> {
        let read = self.known_names(parts, schema)?;
        if format.form == Form::Pairs {
            let names = read.top.properties.iter();
            parts
                .form_names
                .extend(names.flat_map(|property| readings(property.name)));
        }
        // Only the named properties of a flat body are sent.
        parts.guard.top = names(&read.top, |property, is_read_only| {
            is_whole && (is_read_only || !self.offers(parts, property))
        });
        parts.guard.inner.clone_from(&read.inner);
        Ok(())
    }

    /// Reads which keys the value of a parameter must not have.
    pub(super) fn parameter_guard(
        &self,
        parts: &mut Parts<'_, 'a, 't>,
        schema: &At<'a, 't>,
    ) -> Result<Option<Guard>, Refusal> {
        // Most parameters are scalars, or lists of them.
        let is_scalar = |at: &At<'_, '_>| {
            let scalar = ["string", "integer", "number", "boolean"];
            at.text("type").is_some_and(|name| scalar.contains(&name))
        };
        if let Ok(at) = self.documents.follow(schema.clone()) {
            let items = at.get("items").filter(|_| at.text("type") == Some("array"));
            let items = items.and_then(|items| self.documents.follow(items).ok());
            if is_scalar(&at) || items.is_some_and(|items| is_scalar(&items)) {
                return Ok(None);
            }
        }
        let read = self.known_names(parts, schema)?;
        let guard = Guard {
            top: names(&read.top, |_, is_read_only| is_read_only),
            inner: read.inner.clone(),
            ..Guard::default()
        };
        let has_rules = guard.inner.is_some() || !guard.top.refused.is_empty();
        Ok(Some(guard).filter(|_| has_rules))
    }

    /// Reads the names of a schema, and says what of them is missing.
    fn known_names(
        &self,
        parts: &mut Parts<'_, 'a, 't>,
        schema: &At<'a, 't>,
    ) -> Result<Rc<BodyNames<'a, 't>>, Refusal> {
        let read = self.body_names(schema);
        if read.misses_top {
            return Err((
                self.place(schema),
                "its schema has too many parts".to_owned(),
            ));
        }
        if read.misses_inner {
            let words = "its schema has more objects than are looked into; a call cannot set keys of the others";
            let place = self.place(schema);
            let notice = parts
                .found
                .notice(NoticeKind::NotOffered, place, words.to_owned());
            parts.notices.push(notice);
        }
        Ok(read)
    }

    /// Reads the names of a body, once for all operations that refer to its schema.
    fn body_names(&self, schema: &At<'a, 't>) -> Rc<BodyNames<'a, 't>> {
        let is_reference = schema.value.entries().len() == 1;
        let target = self.documents.follow(schema.clone()).ok();
        let key = target.filter(|_| is_reference);
        let key = key.map(|at| (at.document, at.pointer));
        let known = key
            .as_ref()
            .and_then(|key| self.bodies.borrow().get(key).cloned());
        if let Some(known) = known {
            return known;
        }
        let places = places(self.documents, self.bases, schema);
        let mut all = places.all.into_iter();
        let top = all.next().unwrap_or_default();
        let inner = all.map(|place| names(&place, |_, is_read_only| is_read_only));
        let inner: Vec<_> = inner.collect();
        let has_rules = places.misses_inner || inner.iter().any(|names| !names.refused.is_empty());
        let read = Rc::new(BodyNames {
            top,
            inner: has_rules.then(|| inner.into()),
            misses_top: places.misses_top,
            misses_inner: places.misses_inner,
        });
        if let Some(key) = key {
            self.bodies.borrow_mut().insert(key, Rc::clone(&read));
        }
        read
    }

    /// Decides about a property of a body that is one argument. Returns true if the model may set it.
    fn offers(&self, parts: &mut Parts<'_, 'a, 't>, property: &Property<'a, 't>) -> bool {
        let found = parts.found;
        let Property {
            name, at, required, ..
        } = property;
        let (name, required) = (*name, *required);
        let asked = Parameter {
            name,
            place: Place::Body,
            required,
            operation: &found.operation,
        };
        let (disposition, notice) = self.disposition(&asked, Some(at), parts);
        let is_preset = self.preset(name, Place::Body).is_some();
        let value = match disposition {
            Disposition::Dropped => None,
            Disposition::Sent(Source::Fixed(value)) if is_preset => Some(value),
            // The schema holds a call to a constant.
            Disposition::Sent(_) | Disposition::Offered => return true,
        };
        // Alternatives have the property once each.
        if parts.hidden.insert(name.to_owned()) {
            parts
                .guard
                .fixed
                .extend(value.map(|value| (name.to_owned(), value)));
            let notice =
                notice.map(|words| found.notice(NoticeKind::NotOffered, self.place(at), words));
            parts.notices.extend(notice);
        }
        false
    }

    fn properties(
        &self,
        parts: &mut Parts<'_, 'a, 't>,
        object: MergedObject<'a, 't>,
    ) -> Vec<(String, Source)> {
        let found = parts.found;
        let mut properties = Vec::new();
        for (name, at) in object.properties {
            if object.absent.contains(name) {
                continue;
            }
            let (required, place) = (object.required.contains(name), Place::Body);
            let asked = Parameter {
                name,
                place,
                required,
                operation: &found.operation,
            };
            let (disposition, notice) = self.disposition(&asked, Some(&at), parts);
            let notice =
                notice.map(|words| found.notice(NoticeKind::NotOffered, self.place(&at), words));
            parts.notices.extend(notice);
            let source = match disposition {
                Disposition::Dropped => continue,
                Disposition::Sent(source) => source,
                Disposition::Offered => {
                    let source = self.argument(Some(&at), required);
                    let has_default = matches!(source, Source::Argument(_, Some(_)));
                    let schema = Some(at.clone());
                    parts.arguments.push(Argument {
                        name,
                        place,
                        required: required && !has_default,
                        description: None,
                        schema,
                        at,
                    });
                    source
                }
            };
            properties.push((name.to_owned(), source));
        }
        properties
    }
}

impl BodySource {
    /// Gives the arguments their names, in order.
    pub(super) fn with_keys(self, keys: &[String]) -> Self {
        let mut keys = keys.iter();
        let mut named = |source| match source {
            Source::Argument(_, default) => {
                Source::Argument(keys.next().cloned().unwrap_or_default(), default)
            }
            other => other,
        };
        match self {
            Self::Whole(source, is_required) => Self::Whole(named(source), is_required),
            Self::Properties(properties, is_required) => {
                let properties = properties
                    .into_iter()
                    .map(|(name, source)| (name, named(source)));
                Self::Properties(properties.collect(), is_required)
            }
        }
    }
}
