//! Keys that a body or a parameter must not have, whatever its schema admits.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use toolwright::json::Value;

use crate::style::check_key;
use crate::text::{folded, readings};

/// Names of the properties of the objects at one place of a body.
#[derive(Default)]
pub(crate) struct Names {
    /// Names that no key has in any spelling, [folded].
    pub(crate) refused: HashSet<String>,
    /// Names that can be set, as they are written.
    pub(crate) writable: HashSet<String>,
    /// Places of the objects below a property, by its name.
    inner: HashMap<String, usize>,
    /// Place of the objects below any other key.
    rest: Option<usize>,
}

impl Names {
    /// Makes the names of a place from the places below it.
    pub(crate) fn new<'n>(
        below: impl Iterator<Item = (&'n str, usize)> + Clone,
        rest: Option<usize>,
    ) -> Self {
        let mut inner: HashMap<String, usize> = below
            .clone()
            .map(|(name, place)| (folded(name), place))
            .collect();
        // The exact name counts before other spellings.
        inner.extend(below.map(|(name, place)| (name.to_owned(), place)));
        Self {
            inner,
            rest,
            ..Self::default()
        }
    }

    /// Returns the place of the objects below a key.
    fn below(&self, key: &str) -> Option<usize> {
        let spelled = || {
            readings(key)
                .iter()
                .find_map(|name| self.inner.get(name).copied())
        };
        self.inner.get(key).copied().or_else(spelled).or(self.rest)
    }
}

/// What a body must not hold, and what the host adds to it. The objects of an array stand at the array's place.
#[derive(Default)]
pub(crate) struct Guard {
    /// Presets of a body that is one argument.
    pub(crate) fixed: Vec<(String, Value<'static>)>,
    /// Names of the body's own properties, at place 0.
    pub(crate) top: Names,
    /// Names by place, from place 1. `None` if none is refused. Operations whose bodies have one schema share them. A place that
    /// is missing was not looked into: no key of its objects can be set.
    pub(crate) inner: Option<Arc<[Names]>>,
}

impl Guard {
    fn names(&self, place: usize) -> Option<&Names> {
        match place.checked_sub(1) {
            None => Some(&self.top),
            Some(inner) => self.inner.as_ref()?.get(inner),
        }
    }

    /// Checks a body, and adds the presets to it. A body that is left out has the presets alone.
    pub(crate) fn apply<'v>(
        &self,
        body: Option<Value<'v>>,
        is_form: bool,
    ) -> Result<Option<Value<'v>>, String> {
        let mut body = match body {
            None if self.fixed.is_empty() => return Ok(None),
            body => body.unwrap_or_else(Value::empty),
        };
        self.admits(&body, is_form)?;
        match &mut body {
            _ if self.fixed.is_empty() => {}
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.add(item))?,
            body => self.add(body)?,
        }
        Ok(Some(body))
    }

    /// Checks a value. That of a form, or of a parameter of the query, may have keys with brackets.
    pub(crate) fn admits(&self, value: &Value<'_>, is_form: bool) -> Result<(), String> {
        if is_form && self.inner.is_some() {
            // Servers read brackets of a form as inner objects.
            let is_spelled = |name: &str| name.contains('[') && !self.top.writable.contains(name);
            let mut entries = value.entries().iter();
            if let Some((name, _)) = entries.find(|(name, _)| is_spelled(name)) {
                return Err(format!("`{name}` cannot be set here"));
            }
        }
        self.check(Some(0), value)
    }

    fn add(&self, value: &mut Value<'_>) -> Result<(), String> {
        let Value::Object(entries) = value else {
            return Err("this body is an object".to_owned());
        };
        let fixed = self.fixed.iter();
        entries.extend(fixed.map(|(name, value)| (name.clone().into(), value.clone())));
        Ok(())
    }

    fn check(&self, place: Option<usize>, value: &Value<'_>) -> Result<(), String> {
        for item in value.items() {
            self.check(place, item)?;
        }
        let names = place.and_then(|place| self.names(place));
        let is_unknown = place.is_some() && names.is_none() && self.inner.is_some();
        for (key, value) in value.entries() {
            // The document's own names are shorter, so no rule is about this one.
            check_key(key)?;
            let is_refused = is_unknown
                || names.is_some_and(|names| {
                    let is_named = || {
                        readings(key)
                            .iter()
                            .any(|name| names.refused.contains(name))
                    };
                    !names.writable.contains(&**key) && is_named()
                });
            if is_refused {
                return Err(format!("`{key}` cannot be set here"));
            }
            self.check(names.and_then(|names| names.below(key)), value)?;
        }
        Ok(())
    }
}
