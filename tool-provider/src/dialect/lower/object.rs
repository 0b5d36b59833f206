//! Objects and maps.

use super::super::plan::{Op, Step};
use super::super::reject::{NoteKind, Reject, RejectCode};
use super::super::rules::{ObjectFacts, ObjectForm, Objects, Optional};
use super::{Pass, Spot, Wanted};
use toolwright_schema::read::keywords::{Keywords, text};
use toolwright_schema::read::{Ordered, declares_all_keys};
use toolwright_schema::shape::{SIGNED_KEY, UNSIGNED_KEY};
use toolwright_schema::text::escaped;

/// What a map's keys are.
enum Keys {
    Unsigned,
    Signed,
    /// Strings; the schema says which.
    Strings(Ordered),
}

impl Keys {
    /// By the pattern of a map with integers for keys: schemars' (1.2.3), or ours.
    fn of_pattern(pattern: &str) -> Self {
        match pattern {
            r"^\d+$" | UNSIGNED_KEY => Self::Unsigned,
            r"^-?\d+$" | SIGNED_KEY => Self::Signed,
            _ => Self::Strings(Keywords::of([("pattern", text(pattern.to_owned()))]).into_schema()),
        }
    }
}

/// Whether an object has keys that it does not declare.
fn is_open(keywords: &Keywords) -> bool {
    let said = ["additionalProperties", "unevaluatedProperties"];
    let others = match said.iter().find_map(|keyword| keywords.get(keyword)) {
        Some(others) => *others != Ordered::Bool(false),
        None => !declares_all_keys(&keywords.0),
    };
    others || keywords.has("patternProperties")
}

/// Whether nothing is said of an object's keys, so that it takes any.
fn is_bare(keywords: &Keywords) -> bool {
    let said = [
        "properties",
        "required",
        "minProperties",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "unevaluatedProperties",
        "enum",
    ];
    !said.iter().any(|keyword| keywords.has(keyword))
}

fn declares(keywords: &Keywords) -> bool {
    let keys = keywords.entries("properties");
    keys.is_some_and(|keys| !keys.is_empty())
}

impl Pass<'_> {
    /// How an object is sent. `is_alone`: its values are objects and nothing else.
    pub(super) fn form(
        &self,
        keywords: &Keywords,
        spot: Spot,
        is_alone: bool,
    ) -> Result<ObjectForm, Reject> {
        let declares = declares(keywords);
        let is_open = is_open(keywords);
        let names_keys = keywords.has("propertyNames");
        let facts = ObjectFacts {
            is_root: spot.is_root,
            declares,
            is_open,
            // A list of entries is none of the objects that an enum names.
            is_map: is_alone && !declares && (is_open || names_keys) && !keywords.has("enum"),
            any_key: !names_keys && !keywords.has("patternProperties"),
        };
        self.rules.object(facts).map_err(|code| {
            let refused = Reject::new(code, self.path.at());
            if code != RejectCode::OpenObject || !is_bare(keywords) {
                return refused;
            }
            Reject {
                help: "declare its keys (`properties`), close it (`\"additionalProperties\": false`), or \
                       send this tool without strict"
                    .to_owned(),
                ..refused
            }
        })
    }

    /// A map, as a list of entries.
    pub(super) fn entries(&mut self, mut keywords: Keywords) -> Result<Keywords, Reject> {
        // In one list of entries no rule tells which of several patterns a key is of.
        let patterns = keywords.entries("patternProperties").unwrap_or_default();
        let closed = keywords.get("additionalProperties") == Some(&Ordered::Bool(false));
        if patterns.len() > 1 || (!patterns.is_empty() && !closed) {
            return self.refuse(RejectCode::OpenObject);
        }
        let (keys, values) = match patterns.first() {
            Some((pattern, values)) => (Keys::of_pattern(pattern), values.clone()),
            None => {
                let values = match keywords.get("additionalProperties") {
                    Some(values @ Ordered::Object(_)) => values.clone(),
                    _ => Ordered::empty(),
                };
                let names = keywords.get("propertyNames").cloned();
                (names_of(names), values)
            }
        };
        let keys_are_integers = !matches!(keys, Keys::Strings(_));
        let key = match keys {
            Keys::Unsigned => {
                Keywords::of([("type", text("integer")), ("minimum", Ordered::number("0"))])
            }
            Keys::Signed => Keywords::of([("type", text("integer"))]),
            Keys::Strings(Ordered::Object(names)) => {
                let mut key = Keywords(names);
                if !key.has("type") {
                    key.set("type", text("string"));
                }
                key
            }
            Keys::Strings(_) => return self.refuse(RejectCode::FalseSchema),
        };
        let entry = Keywords::of([
            ("type", text("object")),
            (
                "properties",
                Keywords::of([("key", key.into_schema()), ("value", values)]).into_entries(),
            ),
            ("required", Ordered::Array(vec![text("key"), text("value")])),
        ]);
        self.leave_out(&mut keywords, &["required"]);
        for keyword in [
            "properties",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
        ] {
            keywords.take(keyword);
        }
        for (of_map, of_list) in [("minProperties", "minItems"), ("maxProperties", "maxItems")] {
            if let Some(count) = keywords.take(of_map) {
                keywords.set(of_list, count);
            }
        }
        keywords.set("type", text("array"));
        keywords.set("items", entry.into_schema());
        self.steps.push(Step {
            op: Op::EntriesToMap {
                integer_keys: keys_are_integers,
            },
            at: self.path.at(),
        });
        Ok(keywords)
    }

    /// An object with the keys that it declares.
    pub(super) fn object(&mut self, keywords: &mut Keywords, spot: Spot) -> Result<(), Reject> {
        // What words could tell of such keys, a closed object would not let in.
        if let Some(patterns) = keywords.get("patternProperties")
            && keywords.get("additionalProperties") == Some(&Ordered::Bool(false))
            && !self.takes_patterns(patterns)
        {
            return self.refuse(RejectCode::OpenObject);
        }
        if self.rules.objects == Objects::Kept && !keywords.has("properties") {
            if is_bare(keywords) {
                // What is open says so: many readers close what only declares nothing.
                keywords.set("additionalProperties", Ordered::Bool(true));
                if spot.is_root {
                    keywords.set("properties", Ordered::empty());
                }
            }
            return self.other_values(keywords);
        }
        self.close(keywords);
        let properties = match keywords.take("properties") {
            Some(Ordered::Object(properties)) => properties,
            _ => Vec::new(),
        };
        let mut names = Vec::new();
        let mut required = Vec::new();
        let mut lowered = Vec::new();
        for (name, schema) in properties {
            let part = escaped(&name);
            if spot.is_root
                && let Some(code) = self.rules.argument(&name)
            {
                let mark = self.path.enter(&part);
                let refused = Reject::new(code, self.path.at());
                if !self.tells_all {
                    return Err(refused);
                }
                self.rejects.push(refused);
                self.path.leave(mark);
            }
            let (is_required, null) = self.rules.key(!keywords.requires(&name));
            if is_required {
                required.push(text(name.clone()));
            }
            if null == Wanted::Always && !self.admits_null(&schema) {
                let mark = self.path.enter(&part);
                self.steps.push(Step {
                    op: Op::NullIsAbsent,
                    at: self.path.at(),
                });
                self.path.leave(mark);
            }
            let inner = Spot {
                is_root: false,
                null,
            };
            let schema = self.inner(&part, schema, inner)?;
            names.push(text(name.clone()));
            lowered.push((name, schema));
        }
        self.require(keywords, &names, required);
        if self.rules.ordering && names.len() > 1 {
            keywords.set("propertyOrdering", Ordered::Array(names));
        }
        keywords.set("properties", Ordered::Object(lowered));
        self.other_values(keywords)
    }

    /// Says which keys must be there.
    fn require(&mut self, keywords: &mut Keywords, names: &[Ordered], required: Vec<Ordered>) {
        if self.rules.objects == Objects::Kept && self.rules.optional == Optional::Kept {
            return;
        }
        let was = keywords.take("required");
        if let Some(Ordered::Array(was)) = was {
            // No value has a key that is required and cannot be there: nothing is lost.
            for name in was.into_iter().filter(|name| !names.contains(name)) {
                self.note(NoteKind::Dropped, "required", &name);
            }
        }
        if !required.is_empty() || self.rules.objects == Objects::Closed {
            keywords.set("required", Ordered::Array(required));
        }
    }

    /// Leaves an open root without keys, where there is no looser mode to send it in: servers of MCP
    /// declare a tool without parameters so, too.
    pub(super) fn narrow_bare_root(&mut self, keywords: &mut Keywords) {
        if self.rules.narrows_bare_root() && is_bare(keywords) {
            self.note_narrowed();
            keywords.set("properties", Ordered::empty());
        }
    }

    /// Notes that an object takes other keys and the model is not told.
    fn note_narrowed(&mut self) {
        let any = Ordered::Bool(true);
        self.note(NoteKind::Dropped, "additionalProperties", &any);
    }

    /// Says that there are no other keys, in the dialect's way.
    fn close(&mut self, keywords: &mut Keywords) {
        let is_open = is_open(keywords);
        match self.rules.objects {
            Objects::Kept => return,
            Objects::Closed => {
                keywords.set("additionalProperties", Ordered::Bool(false));
            }
            Objects::Unmarked | Objects::Narrowed => {
                let is_told =
                    self.leave_out(keywords, &["additionalProperties", "patternProperties"]);
                if is_open && !is_told {
                    self.note_narrowed();
                }
            }
        }
        self.leave_out(keywords, &["propertyNames"]);
    }

    /// The values behind keys that are not declared.
    fn other_values(&mut self, keywords: &mut Keywords) -> Result<(), Reject> {
        if let Some(values @ Ordered::Object(_)) = keywords.get("additionalProperties").cloned() {
            let values = self.inner("*", values, Spot::INNER)?;
            keywords.set("additionalProperties", values);
        }
        if let Some(Ordered::Object(patterns)) = keywords.take("patternProperties") {
            let mut lowered = Vec::new();
            for (pattern, values) in patterns {
                lowered.push((pattern, self.inner("*", values, Spot::INNER)?));
            }
            keywords.set("patternProperties", Ordered::Object(lowered));
        }
        Ok(())
    }
}

fn names_of(names: Option<Ordered>) -> Keys {
    let Some(names) = names else {
        return Keys::Strings(Ordered::empty());
    };
    let pattern = match &names {
        Ordered::Object(entries)
            if entries
                .iter()
                .all(|(key, _)| key == "pattern" || key == "type") =>
        {
            names.get("pattern").and_then(Ordered::as_str)
        }
        _ => None,
    };
    match pattern {
        Some(pattern) => Keys::of_pattern(pattern),
        None => Keys::Strings(names),
    }
}
