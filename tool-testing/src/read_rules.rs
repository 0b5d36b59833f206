use std::collections::HashMap;

use toolwright_json as json;

use super::decimal::ExactDecimal;
use super::rules::{Additional, Id, NumberBound, Rule, Type};
use super::value::Value;
use toolwright_schema::keyword::Keyword;

/// The rules of a schema, and whether every keyword is one that samples are made by.
pub(super) fn read(schema: &str) -> (Vec<Rule>, bool) {
    let root = json::Value::parse(schema);
    let are_known = root.is_ok();
    let root = root.unwrap_or_default();
    let mut reader = Reader {
        root: &root,
        named: HashMap::new(),
        list: Vec::new(),
        are_known,
    };
    reader.add(&root);
    (reader.list, reader.are_known)
}

struct Reader<'t> {
    root: &'t json::Value<'t>,
    named: HashMap<String, Id>,
    list: Vec<Rule>,
    are_known: bool,
}

impl<'t> Reader<'t> {
    fn add(&mut self, schema: &'t json::Value<'t>) -> Id {
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

    fn add_all(&mut self, schemas: &'t json::Value<'t>) -> Vec<Id> {
        schemas.items().iter().map(|each| self.add(each)).collect()
    }

    fn rule(&mut self, schema: &'t json::Value<'t>) -> Rule {
        let mut rule = Rule {
            never: *schema == json::Value::Bool(false),
            ..Rule::default()
        };
        for (keyword, value) in schema.entries() {
            self.keyword(&mut rule, keyword, value);
        }
        rule
    }

    fn keyword(&mut self, rule: &mut Rule, keyword: &str, value: &'t json::Value<'t>) {
        let count = || value.as_u128().and_then(|count| count.try_into().ok());
        let text = || value.as_str().map(str::to_owned);
        let Some(keyword) = Keyword::of(keyword) else {
            self.are_known = false;
            return;
        };
        match keyword {
            Keyword::Type => rule.types = self.types(value),
            Keyword::Enum => rule.allowed = Some(values(value)),
            Keyword::Const => rule.allowed = Some(vec![Value::from(value)]),
            Keyword::Not => match value.entries() {
                [(name, list)] if name == Keyword::Enum.as_str() => {
                    rule.refused = values(list);
                }
                _ => self.are_known = false,
            },
            Keyword::AnyOf => rule.any_of = self.add_all(value),
            Keyword::Ref => match self.reference(value) {
                Some(target) => rule.any_of = vec![target],
                None => self.are_known = false,
            },
            Keyword::Minimum => rule.minimum = bound(value, false),
            Keyword::Maximum => rule.maximum = bound(value, false),
            Keyword::ExclusiveMinimum => rule.minimum = bound(value, true),
            Keyword::ExclusiveMaximum => rule.maximum = bound(value, true),
            Keyword::MultipleOf => rule.multiple_of = number(value),
            Keyword::MinLength => rule.length.min = count().unwrap_or(0),
            Keyword::MaxLength => rule.length.max = count(),
            Keyword::Pattern => {
                let read = text().and_then(|text| regex_syntax::parse(&text).ok());
                self.are_known &= read.is_some();
                rule.pattern = read;
            }
            Keyword::Format => rule.format = text(),
            Keyword::PrefixItems => rule.prefix = self.add_all(value),
            Keyword::Items => rule.items = Some(self.add(value)),
            Keyword::MinItems => rule.elements.min = count().unwrap_or(0),
            Keyword::MaxItems => rule.elements.max = count(),
            Keyword::UniqueItems => rule.unique = *value == json::Value::Bool(true),
            Keyword::Properties => {
                for (name, schema) in value.entries() {
                    let schema = self.add(schema);
                    rule.properties.push((name.to_string(), schema));
                }
            }
            Keyword::Required => rule.required = texts(value),
            Keyword::AdditionalProperties => {
                rule.additional = match value {
                    json::Value::Bool(true) => Additional::Any,
                    json::Value::Bool(false) => Additional::None,
                    _ => Additional::Each(self.add(value)),
                };
            }
            Keyword::PropertyNames => rule.names = Some(self.add(value)),
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

    fn types(&mut self, value: &json::Value<'_>) -> Vec<Type> {
        let names = match value.as_str() {
            Some(name) => vec![name.to_owned()],
            None => texts(value),
        };
        let types: Vec<_> = names.iter().filter_map(|name| Type::named(name)).collect();
        self.are_known &= types.len() == names.len() && !types.is_empty();
        types
    }

    fn reference(&mut self, value: &json::Value<'_>) -> Option<Id> {
        let target = value.as_str()?;
        if target == "#" {
            return Some(0);
        }
        let name = target.strip_prefix("#/$defs/")?;
        if let Some(id) = self.named.get(name) {
            return Some(*id);
        }
        let unescaped = name.replace("~1", "/").replace("~0", "~");
        let schema = self.root.get(Keyword::Defs.as_str())?.get(&unescaped)?;
        // It is known before it is read, since it may refer to itself.
        let id = self.reserve();
        self.named.insert(name.to_owned(), id);
        let rule = self.rule(schema);
        *self.list.get_mut(id)? = rule;
        Some(id)
    }
}

fn number(value: &json::Value<'_>) -> Option<ExactDecimal> {
    match value {
        json::Value::Number(text) => ExactDecimal::read(text),
        _ => None,
    }
}

fn bound(value: &json::Value<'_>, exclusive: bool) -> Option<NumberBound> {
    let at = number(value)?;
    Some(NumberBound { at, exclusive })
}

fn texts(list: &json::Value<'_>) -> Vec<String> {
    let texts = list.items().iter().filter_map(json::Value::as_str);
    texts.map(str::to_owned).collect()
}

fn values(list: &json::Value<'_>) -> Vec<Value> {
    list.items().iter().map(Value::from).collect()
}
