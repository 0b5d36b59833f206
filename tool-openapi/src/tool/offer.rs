//! Which parameters a model may set.

use toolwright::json::Value;

use super::{Maker, Parts};
use crate::auth::{Scheme, SchemePlace};
use crate::document::At;
use crate::operation::{Operation, Parameter, Place};
use crate::request::Source;
use crate::text::{folded, is_host_header, is_method_override, looks_secret};

/// The parameter of a query or a form that holds a bearer token (RFC 6750, sections 2.2 and 2.3), [folded].
pub(super) const ACCESS_TOKEN: &str = "accesstoken";

/// What happens to a parameter.
pub(super) enum Disposition {
    /// The model may set it.
    Offered,
    /// It is always sent, and the model does not see it.
    Sent(Source),
    /// It is never sent.
    Dropped,
}

/// What a preset says about a parameter.
pub(super) enum Preset<'a> {
    /// It has this value.
    Exact(&'a Value<'static>),
    /// The preset's name is spelled differently: so.
    Spelled(&'a str),
}

/// Returns true for the name of a value that only the base URL's origin gets, and that no answer shows.
pub(crate) fn is_secret(name: &str, schemes: &[(String, Scheme)]) -> bool {
    let is_key =
        |scheme: &Scheme| matches!(scheme, Scheme::Key(_, key) if folded(key) == folded(name));
    looks_secret(name) || schemes.iter().any(|(_, scheme)| is_key(scheme))
}

impl<'a, 't> Maker<'a, 't> {
    /// Decides about a parameter. The order of the rules counts: the host's presets come first, and its other choices come
    /// behind what is never a model's.
    pub(super) fn disposition(
        &self,
        parameter: &Parameter<'_>,
        schema: Option<&At<'a, 't>>,
        parts: &Parts<'_, 'a, 't>,
    ) -> (Disposition, Option<String>) {
        let (settings, name, place) = (self.settings, parameter.name, parameter.place);
        let dropped = |words: &str| (Disposition::Dropped, Some(format!("`{name}` {words}")));
        match self.preset(name, place) {
            Some(Preset::Exact(_)) if !parts.has_credentials && is_secret(name, self.schemes) => {
                return dropped(
                    "is preset and looks like a secret, so another origin does not get it",
                );
            }
            Some(Preset::Exact(value)) => {
                return (Disposition::Sent(Source::Fixed(value.clone())), None);
            }
            Some(Preset::Spelled(preset)) => {
                return dropped(&format!(
                    "is not sent: the preset `{preset}` has another spelling"
                ));
            }
            None => {}
        }
        let is_field = place == Place::Body && parts.is_form;
        let read_as = if is_field { Place::Query } else { place };
        if self.is_credential(name, read_as) {
            if is_field {
                return dropped(
                    "is a credential of the query, which servers also read from a form",
                );
            }
            return (Disposition::Dropped, None);
        }
        if place == Place::Header && is_host_header(name) {
            return dropped("is a header that a model never sets");
        }
        if matches!(place, Place::Query | Place::Body) && is_method_override(name) {
            return dropped("would change the method");
        }
        if place == Place::Header && folded(name) == "idempotencykey" {
            return (Disposition::Sent(Source::CallKey(parameter.required)), None);
        }
        if settings.hides.iter().any(|hides| hides(parameter)) {
            if parameter.required {
                return dropped("is hidden, although the API requires it; send it by `preset`");
            }
            return (Disposition::Dropped, None);
        }
        if let Some(value) = schema
            .filter(|_| parameter.required)
            .and_then(|at| self.constant(at))
        {
            return (Disposition::Sent(Source::Fixed(value)), None);
        }
        let may_be_secret = match place {
            Place::Path => false,
            Place::Body => is_field && folded(name) == ACCESS_TOKEN,
            _ => looks_secret(name),
        };
        if may_be_secret && !settings.offers.iter().any(|offers| offers(parameter)) {
            return dropped("looks like a secret; send it by `preset`, or show it by `offer`");
        }
        (Disposition::Offered, None)
    }

    /// Returns what a preset says about a parameter. Names of headers have no case; any other spelling is not sent.
    pub(super) fn preset(&self, name: &str, place: Place) -> Option<Preset<'a>> {
        let is_same = |known: &str| {
            known == name || place == Place::Header && known.eq_ignore_ascii_case(name)
        };
        let presets = || self.settings.presets.iter().enumerate();
        let meet = |index| self.met.borrow_mut().insert(index);
        if let Some((index, (_, value))) = presets().find(|(_, (known, _))| is_same(known)) {
            meet(index);
            return Some(Preset::Exact(value));
        }
        let name = folded(name);
        let mut spelled = presets().filter(|(_, (known, _))| folded(known) == name);
        let (index, (preset, _)) = spelled.next().filter(|_| !name.is_empty())?;
        meet(index);
        Some(Preset::Spelled(preset))
    }

    /// Returns true for a parameter of a path that may have several segments.
    pub(super) fn has_slashes(&self, operation: &Operation<'_>, name: &str) -> bool {
        let is_named = |known: &str| operation.id == Some(known) || operation.path == known;
        let slashes = self.settings.slashes.iter().enumerate();
        let own = slashes.filter(|(_, (known, parameter))| is_named(known) && parameter == name);
        let own: Vec<_> = own.map(|(index, _)| index).collect();
        self.with_slashes.borrow_mut().extend(&own);
        !own.is_empty()
    }

    /// Returns true for a parameter that a security scheme names.
    pub(super) fn is_credential(&self, name: &str, place: Place) -> bool {
        let place = match place {
            Place::Header => SchemePlace::Header,
            Place::Query => SchemePlace::Query,
            Place::Cookie => SchemePlace::Cookie,
            Place::Path | Place::Body => return false,
        };
        let is_named = |scheme: &Scheme| matches!(scheme, Scheme::Key(at, key) if *at == place && folded(key) == folded(name));
        self.schemes.iter().any(|(_, scheme)| is_named(scheme))
    }

    /// Returns names that a server may read as a credential in a form, [folded].
    pub(super) fn form_credentials(&self) -> impl Iterator<Item = String> + use<'_, 'a, 't> {
        let keys = self.schemes.iter().filter_map(|(_, scheme)| match scheme {
            Scheme::Key(SchemePlace::Query, name) => Some(folded(name)),
            _ => None,
        });
        keys.chain([ACCESS_TOKEN.to_owned()])
    }

    /// Returns the source of an offered value. Its name is set when all names are known.
    pub(super) fn argument(&self, schema: Option<&At<'a, 't>>, required: bool) -> Source {
        let schema = schema.filter(|_| required);
        let schema = schema.and_then(|at| self.documents.follow(at.clone()).ok());
        let default = schema.and_then(|at| {
            let default = at.value.get("default")?;
            let fits = match (at.text("type"), default) {
                (Some("string"), Value::String(text)) => !text.is_empty(),
                (Some("integer" | "number"), Value::Number(_)) => true,
                (Some("boolean"), Value::Bool(_)) => true,
                _ => false,
            };
            let values = at.value.get("enum").map_or(&[][..], Value::items);
            let fits = fits && (values.is_empty() || values.contains(default));
            fits.then(|| default.clone().into_owned())
        });
        Source::Argument(String::new(), default)
    }

    /// Returns the only value that a schema admits.
    fn constant(&self, at: &At<'a, 't>) -> Option<Value<'static>> {
        let at = self.documents.follow(at.clone()).ok()?;
        let only = match (
            at.value.get("const"),
            at.value.get("enum").map(Value::items),
        ) {
            (Some(value), _) => value,
            (None, Some([value])) => value,
            _ => return None,
        };
        let is_scalar = matches!(only, Value::Bool(_) | Value::Number(_) | Value::String(_));
        is_scalar.then(|| only.clone().into_owned())
    }
}
