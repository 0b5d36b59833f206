//! Objects and maps.

use super::super::inverse::{Op, Step};
use super::super::report::{LowerError, LowerErrorCode, NoteKind};
use super::super::rules::{ObjectFacts, ObjectForm, Objects, Optional};
use super::{Lowerer, NullPresence, SchemaPath};
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::keywords::{Keywords, text};
use toolwright_schema::read::{Ordered, Pair, Parts};
use toolwright_schema::shape::{SIGNED_KEY, UNSIGNED_KEY};
use toolwright_schema::text::escaped;

/// Kinds of keys of a map.
enum Keys {
    Unsigned,
    Signed,
    /// Strings with rules.
    Strings(Ordered),
}

impl Keys {
    /// By the pattern of a map with integers for keys: schemars' (1.2.3), or ours.
    fn of_pattern(pattern: &str) -> Self {
        match pattern {
            r"^\d+$" | UNSIGNED_KEY => Self::Unsigned,
            r"^-?\d+$" | SIGNED_KEY => Self::Signed,
            _ => Self::Strings(
                Keywords::of([(Keyword::Pattern, text(pattern.to_owned()))]).into_schema(),
            ),
        }
    }
}

/// Returns true if an object may have keys that it does not declare.
pub(super) fn is_open(keywords: &Keywords) -> bool {
    let said = [
        Keyword::AdditionalProperties,
        Keyword::UnevaluatedProperties,
    ];
    let others = match said.into_iter().find(|keyword| keywords.has(*keyword)) {
        Some(Keyword::UnevaluatedProperties) if has_conditional_keys(keywords) => true,
        Some(others) => !keywords.is_false(others),
        None => !keywords.declares_all_keys() || has_conditional_keys(keywords),
    };
    others || keywords.has(Keyword::PatternProperties)
}

/// Returns true if keys are declared only where other keys are there, or have a certain value.
fn has_conditional_keys(keywords: &Keywords) -> bool {
    let branches = [Keyword::Then, Keyword::Else].into_iter();
    let branches = branches.filter_map(|keyword| keywords.keyword(keyword));
    let dependent = keywords.named(Keyword::DependentSchemas);
    let dependent = dependent
        .unwrap_or_default()
        .iter()
        .map(|(_, schema)| schema);
    let mut keys = branches
        .chain(dependent)
        .flat_map(|schema| schema.declared().unwrap_or_default());
    keys.any(|(name, _)| keywords.member(name).is_none())
}

/// Returns true if an object has no rules for its keys, so that it accepts any.
fn is_bare(keywords: &Keywords) -> bool {
    let said = [
        Keyword::Properties,
        Keyword::Required,
        Keyword::MinProperties,
        Keyword::AdditionalProperties,
        Keyword::PatternProperties,
        Keyword::PropertyNames,
        Keyword::UnevaluatedProperties,
        Keyword::Enum,
    ];
    !keywords.has_any(&said)
}

impl Lowerer<'_> {
    /// Returns the form that an object is sent in. `is_alone`: its values are objects and nothing else.
    pub(super) fn form(
        &self,
        keywords: &Keywords,
        spot: SchemaPath,
        is_alone: bool,
    ) -> Result<ObjectForm, LowerError> {
        let declares = keywords.declares_keys();
        let is_open = is_open(keywords);
        let names_keys = keywords.has(Keyword::PropertyNames);
        let facts = ObjectFacts {
            is_root: spot.is_root,
            declares,
            is_open,
            // A list of entries is none of the objects that an enum lists.
            is_map: is_alone
                && !declares
                && (is_open || names_keys)
                && !keywords.has(Keyword::Enum),
            any_key: !names_keys && !keywords.has(Keyword::PatternProperties),
        };
        self.rules.object(facts).map_err(|code| {
            let refused = LowerError::new(code, self.path.at());
            if code != LowerErrorCode::OpenObject || !is_bare(keywords) {
                return refused;
            }
            LowerError {
                help: "declare its keys (`properties`), close it (`\"additionalProperties\": false`), or \
                       send this tool without strict"
                    .to_owned(),
                ..refused
            }
        })
    }

    /// A map, as a list of entries.
    pub(super) fn entries(&mut self, mut keywords: Keywords) -> Result<Keywords, LowerError> {
        // In a list of entries the patterns of the keys cannot be expressed.
        let patterns = keywords
            .named(Keyword::PatternProperties)
            .unwrap_or_default();
        if patterns.len() > 1 || (!patterns.is_empty() && !keywords.is_closed()) {
            return self.refuse(LowerErrorCode::OpenObject);
        }
        let (keys, values) = match patterns.first() {
            Some((pattern, values)) => (Keys::of_pattern(pattern), values.clone()),
            None => {
                let values = match keywords.keyword(Keyword::AdditionalProperties) {
                    Some(values @ Ordered::Object(_)) => values.clone(),
                    _ => Ordered::empty(),
                };
                let names = keywords.keyword(Keyword::PropertyNames).cloned();
                (names_of(names), values)
            }
        };
        let keys_are_integers = !matches!(keys, Keys::Strings(_));
        let key = match keys {
            Keys::Unsigned => Keywords::of([
                (Keyword::Type, text("integer")),
                (Keyword::Minimum, Ordered::number("0")),
            ]),
            Keys::Signed => Keywords::of([(Keyword::Type, text("integer"))]),
            Keys::Strings(Ordered::Object(names)) => {
                let mut key = Keywords(names);
                if !key.has(Keyword::Type) {
                    key.set(Keyword::Type, text("string"));
                }
                key
            }
            Keys::Strings(_) => return self.refuse(LowerErrorCode::FalseSchema),
        };
        let entry = Keywords::of([
            (Keyword::Type, text("object")),
            (
                Keyword::Properties,
                Ordered::object([("key", key.into_schema()), ("value", values)]),
            ),
            (
                Keyword::Required,
                Ordered::Array(vec![text("key"), text("value")]),
            ),
        ]);
        self.leave_out(&mut keywords, &[Keyword::Required]);
        // Rules for arrays do not apply to an object.
        keywords.0.retain(|(key, _)| {
            Keyword::of(key).is_none_or(|keyword| !keyword.applies_to_type("array"))
        });
        for keyword in [
            Keyword::Properties,
            Keyword::AdditionalProperties,
            Keyword::PatternProperties,
            Keyword::PropertyNames,
        ] {
            keywords.take(keyword);
        }
        for (of_map, of_list) in [
            (Keyword::MinProperties, Keyword::MinItems),
            (Keyword::MaxProperties, Keyword::MaxItems),
        ] {
            if let Some(count) = keywords.take(of_map) {
                keywords.set(of_list, count);
            }
        }
        keywords.set(Keyword::Type, text("array"));
        keywords.set(Keyword::Items, entry.into_schema());
        self.steps.push(Step {
            op: Op::EntriesToMap {
                integer_keys: keys_are_integers,
            },
            at: self.path.at(),
        });
        Ok(keywords)
    }

    /// An object with the keys that it declares.
    pub(super) fn object(
        &mut self,
        keywords: &mut Keywords,
        spot: SchemaPath,
    ) -> Result<(), LowerError> {
        if self.rules.objects == Objects::Kept && !keywords.has(Keyword::Properties) {
            if is_bare(keywords) {
                // An open object is marked: many readers close objects that only declare nothing.
                keywords.set(Keyword::AdditionalProperties, Ordered::Bool(true));
                if spot.is_root {
                    keywords.set(Keyword::Properties, Ordered::empty());
                }
            }
            return self.other_values(keywords);
        }
        self.close(keywords);
        let mut properties = match keywords.take(Keyword::Properties) {
            Some(Ordered::Object(properties)) => properties,
            _ => Vec::new(),
        };
        let mut required = Vec::with_capacity(properties.len());
        let partial = std::mem::take(&mut self.partial);
        for (name, schema) in &mut properties {
            let part = escaped(name);
            if spot.is_root
                && let Some(code) = self.rules.argument(name)
            {
                let mark = self.path.enter(&part);
                let refused = LowerError::new(code, self.path.at());
                if !self.tells_all {
                    return Err(refused);
                }
                self.rejects.push(refused);
                self.path.leave(mark);
            }
            let (is_required, null) = self.rules.key(!keywords.requires(name));
            if is_required {
                required.push(text(name.clone()));
            }
            // `null` may also say that the value is of another alternative.
            let is_partial = partial.iter().any(|key| key == name);
            if null == NullPresence::Always && (is_partial || !self.admits_null(schema)) {
                let mark = self.path.enter(&part);
                self.steps.push(Step {
                    op: Op::NullIsAbsent,
                    at: self.path.at(),
                });
                self.path.leave(mark);
            }
            let inner = SchemaPath {
                is_root: false,
                null,
            };
            *schema = self.inner(&part, std::mem::take(schema), inner)?;
        }
        self.require(keywords, &properties, required);
        if self.rules.ordering && properties.len() > 1 {
            let names = properties.iter().map(|(name, _)| text(name.clone()));
            keywords.set(Keyword::PropertyOrdering, Ordered::Array(names.collect()));
        }
        keywords.set(Keyword::Properties, Ordered::Object(properties));
        self.other_values(keywords)
    }

    /// Says which keys must be there.
    fn require(&mut self, keywords: &mut Keywords, declared: &[Pair], required: Vec<Ordered>) {
        if self.rules.objects == Objects::Kept && self.rules.optional == Optional::Kept {
            return;
        }
        // No value has a key that is required and cannot be there: nothing is lost.
        for name in keywords.take_list(Keyword::Required) {
            if !declared.iter().any(|(key, _)| name.as_str() == Some(key)) {
                self.note(NoteKind::Dropped, Keyword::Required.as_str(), &name);
            }
        }
        let says_none = self.rules.objects == Objects::Closed && self.rules.empty_required;
        if !required.is_empty() || says_none {
            keywords.set(Keyword::Required, Ordered::Array(required));
        }
    }

    /// Leaves an open root without keys, if there is no looser mode: MCP servers declare tools without parameters in
    /// this way, too.
    pub(super) fn narrow_bare_root(&mut self, keywords: &mut Keywords) {
        if self.rules.narrows_bare_root() && is_bare(keywords) {
            self.note_narrowed();
            keywords.set(Keyword::Properties, Ordered::empty());
        }
    }

    /// Notes that an object accepts other keys, which the description does not mention.
    fn note_narrowed(&mut self) {
        let any = Ordered::Bool(true);
        let keyword = Keyword::AdditionalProperties.as_str();
        self.note(NoteKind::Dropped, keyword, &any);
    }

    /// Forbids other keys, in the dialect's way.
    fn close(&mut self, keywords: &mut Keywords) {
        let is_open = is_open(keywords);
        match self.rules.objects {
            Objects::Kept => return,
            Objects::Closed => {
                keywords.set(Keyword::AdditionalProperties, Ordered::Bool(false));
            }
            Objects::Unmarked | Objects::Narrowed => {
                let is_told = self.leave_out(
                    keywords,
                    &[Keyword::AdditionalProperties, Keyword::PatternProperties],
                );
                if is_open && !is_told {
                    self.note_narrowed();
                }
            }
        }
        self.leave_out(keywords, &[Keyword::PropertyNames]);
    }

    /// The values behind keys that are not declared.
    fn other_values(&mut self, keywords: &mut Keywords) -> Result<(), LowerError> {
        if let Some(values @ Ordered::Object(_)) =
            keywords.schema_mut(Keyword::AdditionalProperties)
        {
            *values = self.inner("*", std::mem::take(values), SchemaPath::INNER)?;
        }
        if let Some(Ordered::Object(patterns)) = keywords.schema_mut(Keyword::PatternProperties) {
            for (_, values) in patterns {
                *values = self.inner("*", std::mem::take(values), SchemaPath::INNER)?;
            }
        }
        Ok(())
    }
}

fn names_of(names: Option<Ordered>) -> Keys {
    let names = names.unwrap_or_else(Ordered::empty);
    let is_known =
        |(key, _): &Pair| matches!(Keyword::of(key), Some(Keyword::Pattern | Keyword::Type));
    match names.text(Keyword::Pattern) {
        Some(pattern) if names.entries().iter().all(is_known) => Keys::of_pattern(pattern),
        _ => Keys::Strings(names),
    }
}
