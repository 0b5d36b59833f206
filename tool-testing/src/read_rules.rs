use std::collections::HashMap;

use serde_json::value::RawValue;

use super::decimal::ExactDecimal;
use super::rules::{Additional, Id, NumberBound, Rule, Type};
use super::value::{Value, elements, entries};
use toolwright_schema::keyword::Keyword;

/// The rules of a schema, and whether every keyword is one that samples are made by.
pub(super) fn read(schema: &str) -> (Vec<Rule>, bool) {
    let mut reader = Reader {
        root: schema,
        named: HashMap::new(),
        list: Vec::new(),
        are_known: true,
    };
    reader.add(schema);
    (reader.list, reader.are_known)
}

struct Reader<'t> {
    root: &'t str,
    named: HashMap<String, Id>,
    list: Vec<Rule>,
    are_known: bool,
}

impl<'t> Reader<'t> {
    fn add(&mut self, schema: &'t str) -> Id {
        let id = self.reserve();
        let rule = self.rule(schema);
        if let Some(place) = self.list.get_mut(id) {
            *place = rule;
        }
        id
    }

    fn reserve(&mut self) -> Id {
        self.list.push(Rule::default());
        self.list.len() - 1
    }

    fn add_all(&mut self, schemas: &'t RawValue) -> Vec<Id> {
        let schemas = elements(schemas.get());
        schemas.iter().map(|each| self.add(each.get())).collect()
    }

    fn rule(&mut self, schema: &'t str) -> Rule {
        let mut rule = Rule {
            never: schema == "false",
            ..Rule::default()
        };
        for (keyword, value) in entries(schema) {
            self.keyword(&mut rule, &keyword, value);
        }
        rule
    }

    fn keyword(&mut self, rule: &mut Rule, keyword: &str, value: &'t RawValue) {
        let text = value.get();
        let count = || text.parse().ok();
        let Some(keyword) = Keyword::of(keyword) else {
            self.are_known = false;
            return;
        };
        match keyword {
            Keyword::Type => rule.types = self.types(text),
            Keyword::Enum => rule.allowed = Some(values(text)),
            Keyword::Const => rule.allowed = Value::read(text).map(|value| vec![value]),
            Keyword::Not => match entries(text).as_slice() {
                [(name, list)] if name == Keyword::Enum.as_str() => {
                    rule.refused = values(list.get());
                }
                _ => self.are_known = false,
            },
            Keyword::AnyOf => rule.any_of = self.add_all(value),
            Keyword::Ref => match self.reference(text) {
                Some(target) => rule.any_of = vec![target],
                None => self.are_known = false,
            },
            Keyword::Minimum => rule.minimum = bound(text, false),
            Keyword::Maximum => rule.maximum = bound(text, false),
            Keyword::ExclusiveMinimum => rule.minimum = bound(text, true),
            Keyword::ExclusiveMaximum => rule.maximum = bound(text, true),
            Keyword::MultipleOf => rule.multiple_of = ExactDecimal::read(text),
            Keyword::MinLength => rule.length.min = count().unwrap_or(0),
            Keyword::MaxLength => rule.length.max = count(),
            Keyword::Pattern => {
                let pattern: Option<String> = serde_json::from_str(text).ok();
                let read = pattern.and_then(|text| regex_syntax::parse(&text).ok());
                self.are_known &= read.is_some();
                rule.pattern = read;
            }
            Keyword::Format => rule.format = serde_json::from_str(text).ok(),
            Keyword::PrefixItems => rule.prefix = self.add_all(value),
            Keyword::Items => rule.items = Some(self.add(text)),
            Keyword::MinItems => rule.elements.min = count().unwrap_or(0),
            Keyword::MaxItems => rule.elements.max = count(),
            Keyword::UniqueItems => rule.unique = text == "true",
            Keyword::Properties => {
                for (name, schema) in entries(text) {
                    let schema = self.add(schema.get());
                    rule.properties.push((name, schema));
                }
            }
            Keyword::Required => rule.required = serde_json::from_str(text).unwrap_or_default(),
            Keyword::AdditionalProperties => {
                rule.additional = match text {
                    "true" => Additional::Any,
                    "false" => Additional::None,
                    _ => Additional::Each(self.add(text)),
                };
            }
            Keyword::PropertyNames => rule.names = Some(self.add(text)),
            Keyword::MinProperties => rule.keys.min = count().unwrap_or(0),
            Keyword::MaxProperties => rule.keys.max = count(),
            Keyword::Defs
            | Keyword::Schema
            | Keyword::Id
            | Keyword::Comment
            | Keyword::Title
            | Keyword::Description
            | Keyword::Default
            | Keyword::Examples
            | Keyword::Deprecated
            | Keyword::ReadOnly
            | Keyword::WriteOnly => {}
            _ => self.are_known = false,
        }
    }

    fn types(&mut self, text: &str) -> Vec<Type> {
        let names: Vec<String> = match serde_json::from_str(text) {
            Ok(name) => vec![name],
            Err(_) => serde_json::from_str(text).unwrap_or_default(),
        };
        let types: Vec<_> = names.iter().filter_map(|name| Type::named(name)).collect();
        self.are_known &= types.len() == names.len() && !types.is_empty();
        types
    }

    fn reference(&mut self, text: &str) -> Option<Id> {
        let target: String = serde_json::from_str(text).ok()?;
        if target == "#" {
            return Some(0);
        }
        let name = target.strip_prefix("#/$defs/")?;
        if let Some(id) = self.named.get(name) {
            return Some(*id);
        }
        let unescaped = name.replace("~1", "/").replace("~0", "~");
        let find = |text, key: &str| {
            let mut entries = entries(text).into_iter();
            entries
                .find(|(name, _)| name == key)
                .map(|(_, value)| value.get())
        };
        let schema = find(find(self.root, Keyword::Defs.as_str())?, &unescaped)?;
        // It is known before it is read, since it may refer to itself.
        let id = self.reserve();
        self.named.insert(name.to_owned(), id);
        let rule = self.rule(schema);
        *self.list.get_mut(id)? = rule;
        Some(id)
    }
}

fn bound(text: &str, exclusive: bool) -> Option<NumberBound> {
    let at = ExactDecimal::read(text)?;
    Some(NumberBound { at, exclusive })
}

fn values(list: &str) -> Vec<Value> {
    let values = elements(list);
    let values = values.iter().map(|value| Value::read(value.get()));
    values.flatten().collect()
}
