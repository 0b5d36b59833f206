//! Questions about one schema, in one place for all who take schemas apart.

use std::borrow::Cow;

use toolwright_json::Value;

use crate::keyword::{COMBINING, Keyword, Subschemas};

/// An entry of an object.
type Entry<'t> = (Cow<'t, str>, Value<'t>);

/// Read access to the keywords of one schema.
pub trait Parts<'t> {
    /// The keywords with their values; empty unless the schema is an object.
    fn pairs(&self) -> &[Entry<'t>];

    /// The value of a keyword.
    fn keyword(&self, keyword: Keyword) -> Option<&Value<'t>> {
        let name = keyword.as_str();
        let found = self.pairs().iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Returns true if a keyword is there.
    fn has(&self, keyword: Keyword) -> bool {
        self.keyword(keyword).is_some()
    }

    /// Returns true if one of some keywords is there.
    fn has_any(&self, keywords: &[Keyword]) -> bool {
        keywords.iter().any(|keyword| self.has(*keyword))
    }

    /// The string behind a keyword.
    fn text<'s>(&'s self, keyword: Keyword) -> Option<&'s str>
    where
        't: 's,
    {
        self.keyword(keyword)?.as_str()
    }

    /// The list behind a keyword.
    fn list(&self, keyword: Keyword) -> Option<&[Value<'t>]> {
        match self.keyword(keyword) {
            Some(Value::Array(items)) => Some(items),
            _ => None,
        }
    }

    /// The named schemas behind a keyword.
    fn named(&self, keyword: Keyword) -> Option<&[Entry<'t>]> {
        match self.keyword(keyword) {
            Some(Value::Object(entries)) => Some(entries),
            _ => None,
        }
    }

    /// The number that a keyword counts to.
    fn count(&self, keyword: Keyword) -> Option<u128> {
        self.keyword(keyword)?.as_u128()
    }

    /// Returns true if a keyword is `true`.
    fn is_true(&self, keyword: Keyword) -> bool {
        matches!(self.keyword(keyword), Some(Value::Bool(true)))
    }

    /// Returns true if a keyword is `false`: no value fits.
    fn is_false(&self, keyword: Keyword) -> bool {
        matches!(self.keyword(keyword), Some(Value::Bool(false)))
    }

    /// The names of the permitted types; empty if any is permitted.
    fn types<'s>(&'s self) -> impl Iterator<Item = &'s str>
    where
        't: 's,
    {
        self.names(Keyword::Type)
    }

    /// Returns true if `name` is one of the types that are named.
    fn is_of(&self, name: &str) -> bool {
        self.types().any(|known| known == name)
    }

    /// Returns true if `name` is the one type that is named.
    fn is_only(&self, name: &str) -> bool {
        self.text(Keyword::Type) == Some(name)
    }

    /// The names behind a keyword: a list, or one.
    fn names<'s>(&'s self, keyword: Keyword) -> impl Iterator<Item = &'s str>
    where
        't: 's,
    {
        let names = match self.keyword(keyword) {
            Some(Value::Array(names)) => names.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        names.iter().filter_map(Value::as_str)
    }

    /// The target that the schema refers to.
    fn reference<'s>(&'s self) -> Option<&'s str>
    where
        't: 's,
    {
        self.text(Keyword::Ref)
    }

    /// The members of a union.
    fn any_of(&self) -> Option<&[Value<'t>]> {
        self.list(Keyword::AnyOf)
    }

    /// The members of `allOf`, `anyOf` and `oneOf`.
    fn combined<'s>(&'s self) -> impl Iterator<Item = &'s Value<'t>>
    where
        't: 's,
    {
        let lists = COMBINING.into_iter();
        lists.flat_map(|keyword| self.list(keyword).unwrap_or_default())
    }

    /// The values that are listed one by one.
    fn literals(&self) -> Option<&[Value<'t>]> {
        self.list(Keyword::Enum)
    }

    /// The value of an enum that has one.
    fn only_literal(&self) -> Option<&Value<'t>> {
        match self.literals()? {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The keys that are declared, with their schemas.
    fn declared(&self) -> Option<&[Entry<'t>]> {
        self.named(Keyword::Properties)
    }

    /// Returns true if keys are declared.
    fn declares_keys(&self) -> bool {
        self.declared().is_some_and(|keys| !keys.is_empty())
    }

    /// The schema of a key that is declared.
    fn member(&self, key: &str) -> Option<&Value<'t>> {
        let found = self.declared()?.iter().find(|(name, _)| name == key);
        found.map(|(_, schema)| schema)
    }

    /// The keys that must be there.
    fn required<'s>(&'s self) -> impl Iterator<Item = &'s str>
    where
        't: 's,
    {
        self.names(Keyword::Required)
    }

    /// Returns true if a key must be there.
    fn requires(&self, name: &str) -> bool {
        self.required().any(|known| known == name)
    }

    /// Returns true if `additionalProperties` admits no others than the keys that are declared.
    fn is_closed(&self) -> bool {
        self.is_false(Keyword::AdditionalProperties)
    }

    /// Returns true if an object that is silent about other keys declares all of its keys: there are
    /// `properties`, and no keyword counts on more than those. `{"type": "object"}` takes any key.
    fn declares_all_keys(&self) -> bool {
        let Some(declared) = self.declared() else {
            return false;
        };
        let is_declared = |name: &Value<'_>| {
            let mut keys = declared.iter();
            keys.any(|(key, _)| name.as_str() == Some(key))
        };
        let required = self.list(Keyword::Required).unwrap_or_default();
        let least = self.count(Keyword::MinProperties).unwrap_or(0);
        required.iter().all(is_declared) && least <= declared.len() as u128
    }

    /// The schema of the element at a place of an array.
    fn element(&self, index: usize) -> Option<&Value<'t>> {
        let places = self.list(Keyword::PrefixItems).unwrap_or_default();
        places.get(index).or_else(|| self.keyword(Keyword::Items))
    }

    /// The words that describe it; empty without any.
    fn description<'s>(&'s self) -> &'s str
    where
        't: 's,
    {
        self.text(Keyword::Description).unwrap_or_default()
    }

    /// Visits the schemas that a keyword holds.
    fn held_by<'s>(&'s self, keyword: Keyword, visit: &mut dyn FnMut(&'s Value<'t>)) {
        if let Some(value) = self.keyword(keyword) {
            visit_subschemas(keyword, value, visit);
        }
    }

    /// Visits the schemas directly inside the schema. Definitions are not inside it until they are referred to.
    fn inside<'s>(&'s self, visit: &mut dyn FnMut(&'s Value<'t>))
    where
        't: 's,
    {
        for (key, value) in self.pairs() {
            if let Some(keyword) = Keyword::of(key) {
                visit_subschemas(keyword, value, visit);
            }
        }
    }
}

/// Visits the schemas in the value of a keyword.
fn visit_subschemas<'s, 't>(
    keyword: Keyword,
    value: &'s Value<'t>,
    visit: &mut dyn FnMut(&'s Value<'t>),
) {
    match (keyword.subschemas(), value) {
        (Subschemas::List | Subschemas::SchemaOrList, Value::Array(members)) => {
            members.iter().for_each(visit);
        }
        (Subschemas::Map, Value::Object(members)) => {
            for (_, member) in members {
                visit(member);
            }
        }
        (Subschemas::Schema | Subschemas::SchemaOrList, member) => visit(member),
        _ => {}
    }
}

impl<'t> Parts<'t> for Value<'t> {
    fn pairs(&self) -> &[Entry<'t>] {
        self.entries()
    }
}

/// Visits the schemas directly inside a schema, definitions included, each with its keyword and the name that it has there.
pub fn inside_mut<'t>(
    schema: &mut Value<'t>,
    visit: &mut dyn FnMut(Keyword, &str, &mut Value<'t>),
) {
    let Value::Object(entries) = schema else {
        return;
    };
    for (key, value) in entries {
        let Some(keyword) = Keyword::of(key) else {
            continue;
        };
        match (keyword.subschemas(), value) {
            (Subschemas::List | Subschemas::SchemaOrList, Value::Array(members)) => {
                for member in members {
                    visit(keyword, "", member);
                }
            }
            (
                Subschemas::Map | Subschemas::MapOrNames | Subschemas::Definitions,
                Value::Object(members),
            ) => {
                for (name, member) in members {
                    visit(keyword, name, member);
                }
            }
            (Subschemas::Schema | Subschemas::SchemaOrList, member) => visit(keyword, "", member),
            _ => {}
        }
    }
}

/// Changes the references of a schema and of those inside it, definitions included.
pub fn change_references<'t>(schema: &mut Value<'t>, change: &mut dyn FnMut(&mut Cow<'t, str>)) {
    if let Value::Object(entries) = schema {
        for (key, value) in entries {
            if let (Some(Keyword::Ref), Value::String(target)) = (Keyword::of(key), value) {
                change(target);
            }
        }
    }
    inside_mut(schema, &mut |_, _, inner| change_references(inner, change));
}
