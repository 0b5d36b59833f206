//! Keys that a body must not have, whatever its schema admits.

use std::collections::{HashMap, HashSet};

use toolwright::json::Value;

use crate::text::readings;

/// Names of the properties of one object.
#[derive(Default)]
pub(crate) struct Names {
    /// Names that no key has in any spelling, [folded](crate::text::folded).
    pub(crate) refused: HashSet<String>,
    /// Names that can be set, as they are written.
    pub(crate) writable: HashSet<String>,
}

/// What a body must not hold, and what the host adds to it. The objects of a top-level array count as top-level objects.
#[derive(Default)]
pub(crate) struct Guard {
    /// Presets of a body that is one argument.
    pub(crate) fixed: Vec<(String, Value<'static>)>,
    /// Names, [folded](crate::text::folded), that no key of the whole body has.
    pub(crate) everywhere: HashSet<String>,
    /// Names by the property that holds their object. The top-level object has the empty name.
    pub(crate) inside: HashMap<String, Names>,
    /// Names that are read-only in some part of the top-level object.
    pub(crate) top_read_only: HashSet<String>,
}

impl Guard {
    /// Removes from the top-level names what any part calls read-only.
    pub(crate) fn settle(&mut self) {
        if let Some(top) = self.inside.get_mut("") {
            top.writable
                .retain(|name| !self.top_read_only.contains(name));
        }
    }

    /// Checks a body, and adds the presets to it.
    pub(crate) fn apply(&self, body: &mut Value<'_>, is_form: bool) -> Result<(), String> {
        let refuses = !self.everywhere.is_empty()
            || self.inside.values().any(|names| !names.refused.is_empty());
        if is_form && refuses {
            // Servers read brackets of a form as inner objects.
            let known = self.inside.get("").map(|names| &names.writable);
            let is_spelled =
                |name: &str| name.contains('[') && known.is_some_and(|known| !known.contains(name));
            let entries = body.entries().iter();
            if let Some((name, _)) = entries.into_iter().find(|(name, _)| is_spelled(name)) {
                return Err(format!("`{name}` cannot be set here"));
            }
        }
        self.check("", body)?;
        if self.fixed.is_empty() {
            return Ok(());
        }
        match body {
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.add(item)),
            body => self.add(body),
        }
    }

    fn add(&self, value: &mut Value<'_>) -> Result<(), String> {
        let Value::Object(entries) = value else {
            return Err("this body is an object".to_owned());
        };
        let fixed = self.fixed.iter();
        entries.extend(fixed.map(|(name, value)| (name.clone().into(), value.clone())));
        Ok(())
    }

    fn check(&self, owner: &str, value: &Value<'_>) -> Result<(), String> {
        for item in value.items() {
            self.check(owner, item)?;
        }
        let names = self.inside.get(owner);
        for (key, value) in value.entries() {
            let is_named =
                |refused: &HashSet<String>| readings(key).iter().any(|name| refused.contains(name));
            let is_refused = is_named(&self.everywhere)
                || names.is_some_and(|names| {
                    !names.writable.contains(&**key) && is_named(&names.refused)
                });
            if is_refused {
                return Err(format!("`{key}` cannot be set here"));
            }
            self.check(key, value)?;
        }
        Ok(())
    }
}
