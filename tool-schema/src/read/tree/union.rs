//! Lists of values, and schemas for one value.

use toolwright_json::Value;

use super::memory::Memory;
use super::{Keywords, TreeReader};
use crate::keyword::Keyword;
use crate::read::Parts;
use crate::shape::{Field, If, Kind, Object, Rule, Shape, Union, Variant};

/// A value of one of these shapes; nothing without any.
pub(super) fn of<'a>(memory: Memory<'a>, members: &[Shape<'a>]) -> Option<Shape<'a>> {
    match members {
        [] => None,
        [one] => Some(*one),
        _ => Some(Shape::new(Kind::Union(Union {
            buffered: true,
            ..Union::of(memory.list(members))
        }))),
    }
}

/// Returns true if a value is of one of these types.
fn is_of(value: &Value<'_>, types: &[&str]) -> bool {
    types.iter().any(|name| match (*name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer", value) => value.as_integer().is_some(),
        _ => false,
    })
}

impl<'a> TreeReader<'_, 'a> {
    /// One of some values, which are of these types.
    pub(super) fn listed(&mut self, values: &[Value<'_>], types: Option<&[&str]>) -> Shape<'a> {
        let values = values.iter();
        let values: Vec<_> = values
            .filter(|value| types.is_none_or(|types| is_of(value, types)))
            .collect();
        let strings: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        let nulls = values.iter().filter(|value| value.is_null()).count();
        if values.is_empty() {
            return Shape::new(Kind::Rule(Rule::Never));
        }
        if strings.is_empty() || strings.len() + nulls < values.len() {
            let texts = values.iter().map(|value| self.text(&value.to_json()));
            let texts: Vec<&'a str> = texts.collect();
            let texts = self.memory.list(&texts);
            return Shape::new(Kind::Rule(Rule::Literals(texts)));
        }
        let variants = strings.iter().map(|name| Variant::new(self.text(name), ""));
        let variants: Vec<Variant<'a>> = variants.collect();
        let names = Shape::new(Kind::Enum(self.memory.list(&variants)));
        match nulls {
            0 => names,
            _ => Shape::new(Kind::Nullable(self.keep(&names))),
        }
    }

    /// Reads `allOf`, `anyOf` and `oneOf`.
    pub(super) fn combined(
        &mut self,
        keywords: &Keywords<'_>,
        at: &str,
        parts: &mut Vec<Shape<'a>>,
    ) {
        parts.extend(self.members(keywords, at, Keyword::AllOf));
        let any = self.members(keywords, at, Keyword::AnyOf);
        if let Some(any) = nullable(self, any) {
            parts.push(any);
        }
        let one = self.members(keywords, at, Keyword::OneOf);
        if one.len() < 2 {
            parts.extend(one);
        } else {
            let members = self.memory.list(&one);
            parts.push(Shape::new(Kind::Rule(Rule::OneOf(members))));
        }
    }

    /// Reads `not`, `if` and rules that depend on a key.
    pub(super) fn conditional(
        &mut self,
        keywords: &Keywords<'_>,
        at: &str,
        parts: &mut Vec<Shape<'a>>,
    ) {
        if let Some(not) = keywords.keyword(Keyword::Not) {
            let inner = self.part(not, at, Keyword::Not);
            parts.push(Shape::new(Kind::Rule(Rule::Not(inner))));
        }
        if let Some(condition) = keywords.keyword(Keyword::If) {
            let condition = self.part(condition, at, Keyword::If);
            let mut branch = |name| match keywords.keyword(name) {
                Some(schema) => self.part(schema, at, name),
                None => Shape::ANYTHING,
            };
            let (then, otherwise) = (branch(Keyword::Then), branch(Keyword::Else));
            parts.push(Shape::new(Kind::Rule(Rule::If(If {
                condition,
                then,
                otherwise,
            }))));
        }
        for keyword in [
            Keyword::DependentSchemas,
            Keyword::DependentRequired,
            Keyword::Dependencies,
        ] {
            let dependent = keywords.named(keyword).unwrap_or_default();
            for (key, schema) in dependent {
                let condition = self.requiring(&[key]);
                let then = match schema {
                    Value::Array(names) => {
                        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                        self.requiring(&names)
                    }
                    schema => self.named(schema, at, keyword, key),
                };
                parts.push(Shape::new(Kind::Rule(Rule::If(If {
                    condition,
                    then,
                    otherwise: Shape::ANYTHING,
                }))));
            }
        }
    }

    /// An object that has these keys.
    pub(super) fn requiring(&self, names: &[&str]) -> &'a Shape<'a> {
        let fields = names.iter().map(|name| {
            let name = self.text(name);
            Field::new(name, "", Shape::ANYTHING).always()
        });
        let fields: Vec<Field<'a>> = fields.collect();
        let object = Object {
            fields: self.memory.list(&fields),
            open: true,
            denies: false,
        };
        self.keep(&Shape::new(Kind::Object(object)))
    }

    fn members(&mut self, keywords: &Keywords<'_>, at: &str, keyword: Keyword) -> Vec<Shape<'a>> {
        let members = keywords.list(keyword).unwrap_or_default();
        let at = format!("{at}/{}", keyword.as_str());
        let members = members.iter().enumerate();
        members
            .map(|(index, member)| self.shape(member, &format!("{at}/{index}")))
            .collect()
    }
}

/// A value of any of these shapes, `null` apart.
fn nullable<'a>(reader: &TreeReader<'_, 'a>, members: Vec<Shape<'a>>) -> Option<Shape<'a>> {
    let count = members.len();
    let mut members = members;
    members.retain(|member| !matches!(member.kind, Kind::Null));
    let is_nullable = members.len() < count;
    match of(reader.memory, &members) {
        Some(shape) if is_nullable => Some(Shape::new(Kind::Nullable(reader.keep(&shape)))),
        None if is_nullable => Some(Shape::new(Kind::Null)),
        shape => shape,
    }
}
