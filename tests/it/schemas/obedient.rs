//! A model that writes arguments as a lowered schema asks for them. It knows the steps of the way back, and none of the code that
//! takes them.

use toolwright::dialect::{Lowered, Op};

use crate::json::Json;

impl Json {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Leaf(serde_json::Value::Null))
    }

    /// Whether a schema's types and values admit it, whatever is inside.
    fn is_of(&self, schema: &Self) -> bool {
        if let Some(values) = schema.get("enum")
            && !values.items().contains(self)
        {
            return self.is_null() && schema.get("nullable").is_some();
        }
        let is = |name: &Self| match (self, name) {
            (Self::Object(_), Self::Leaf(name)) => name == "object",
            (Self::Array(_), Self::Leaf(name)) => name == "array",
            (Self::Leaf(value), Self::Leaf(name)) => match name.as_str().unwrap_or_default() {
                "null" => value.is_null(),
                "boolean" => value.is_boolean(),
                "string" => value.is_string(),
                "number" => value.is_number(),
                "integer" => value.is_i64() || value.is_u64(),
                _ => false,
            },
            _ => false,
        };
        match schema.get("type") {
            None => true,
            Some(Self::Array(names)) => names.iter().any(is),
            Some(name) => is(name) || (self.is_null() && schema.get("nullable").is_some()),
        }
    }
}

/// A model that writes what the lowered schema asks for.
pub(crate) struct Obedient<'l> {
    pub(crate) lowered: &'l Lowered,
    pub(crate) schema: &'l Json,
    /// The dialect knows closed objects alone.
    pub(crate) closes: bool,
}

impl Obedient<'_> {
    fn op(&self, path: &str, is_absence: bool) -> Option<Op> {
        let mut steps = self.lowered.inverse.steps().iter();
        let found = steps.find(|step| {
            step.at == path
                && !matches!(step.op, Op::KeyIsRenamed { .. })
                && (step.op == Op::NullIsAbsent) == is_absence
        });
        found.map(|step| step.op.clone())
    }

    /// The value as the schema asks for it, if it admits it.
    pub(crate) fn write(&self, value: &Json, schema: &Json, path: &str) -> Option<Json> {
        if schema.get("$ref").is_some() {
            let reference = schema.text("$ref");
            let target = match reference.strip_prefix("#/$defs/") {
                Some(name) => self.schema.get("$defs")?.get(name)?,
                None => self.schema,
            };
            return self.write(value, target, reference.trim_end_matches('#'));
        }
        if let Some(members) = schema.get("anyOf") {
            if value.is_null() && schema.get("nullable").is_some() {
                return Some(value.clone());
            }
            let mut members = members.items().iter().enumerate();
            return members
                .find_map(|(at, member)| self.write(value, member, &format!("{path}/?{at}")));
        }
        match (self.op(path, false), value) {
            (Some(Op::EntriesToMap { integer_keys }), Json::Object(entries)) => {
                let member = schema.get("items")?.get("properties")?.get("value")?;
                let entry = |(key, value): &(String, Json)| {
                    let value = self.write(value, member, &format!("{path}/*/value"))?;
                    let key = if integer_keys {
                        Json::Leaf(key.parse::<i128>().ok()?.to_string().parse().ok()?)
                    } else {
                        Json::Leaf(key.as_str().into())
                    };
                    Some(Json::Object(vec![
                        ("key".into(), key),
                        ("value".into(), value),
                    ]))
                };
                let list: Option<_> = entries.iter().map(entry).collect();
                return list.map(Json::Array);
            }
            (Some(Op::ObjectToTuple { len }), Json::Array(items)) if items.len() == len => {
                let place = |(at, item): (usize, &Json)| {
                    let name = format!("_{at}");
                    let member = schema.get("properties")?.get(&name)?;
                    let item = self.write(item, member, &format!("{path}/{name}"))?;
                    Some((name, item))
                };
                let places: Option<_> = items.iter().enumerate().map(place).collect();
                return places.map(Json::Object);
            }
            (Some(Op::TextToJson), value) => {
                return Some(Json::Leaf(value.to_string().into()));
            }
            _ => {}
        }
        if !value.is_of(schema) {
            return None;
        }
        match value {
            Json::Object(entries) => self.object(entries, schema, path),
            Json::Array(items) => {
                let places = schema
                    .get("prefixItems")
                    .map(Json::items)
                    .unwrap_or_default();
                let item = |(at, item): (usize, &Json)| match (places.get(at), schema.get("items"))
                {
                    (Some(place), _) => self.write(item, place, &format!("{path}/_{at}")),
                    (None, Some(each)) => self.write(item, each, &format!("{path}/*")),
                    (None, None) => Some(item.clone()),
                };
                let items: Option<_> = items.iter().enumerate().map(item).collect();
                items.map(Json::Array)
            }
            leaf @ Json::Leaf(_) => Some(leaf.clone()),
        }
    }

    fn object(&self, entries: &[(String, Json)], schema: &Json, path: &str) -> Option<Json> {
        let null = Json::read("null");
        let properties = schema
            .get("properties")
            .map(Json::entries)
            .unwrap_or_default();
        let required = schema.get("required").map(Json::items).unwrap_or_default();
        let mut out = Vec::new();
        let own = |name: &str| {
            let part = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            let mut steps = self.lowered.inverse.steps().iter();
            let renamed = steps.find_map(|step| match &step.op {
                Op::KeyIsRenamed { to } if step.at == part => Some(to.clone()),
                _ => None,
            });
            (part, renamed.unwrap_or_else(|| name.to_owned()))
        };
        for (name, member) in properties {
            let (part, own) = own(name);
            let given = entries.iter().find(|(known, _)| *known == own);
            match given {
                Some((_, value)) => out.push((name.clone(), self.write(value, member, &part)?)),
                None if !required.contains(&Json::Leaf(name.as_str().into())) => {}
                None if self.op(&part, true).is_some() => out.push((name.clone(), null.clone())),
                None => out.push((name.clone(), self.write(&null, member, &part)?)),
            }
        }
        for (name, value) in entries {
            if properties.iter().any(|(known, _)| own(known).1 == *name) {
                continue;
            }
            let said = ["additionalProperties", "unevaluatedProperties"];
            let others = said.iter().find_map(|keyword| schema.get(keyword));
            // Where a dialect keeps open objects open, silence means any key.
            let is_open = !self.closes || schema.get("type").is_none();
            let any = Json::read("true");
            let others = others.or_else(|| is_open.then_some(&any));
            // Which pattern a key is of is not asked here.
            let patterns = schema.get("patternProperties").map(|_| &any);
            let value = match patterns.or(others)? {
                Json::Leaf(word) if word == false => return None,
                Json::Leaf(_) => value.clone(),
                member => self.write(value, member, &format!("{path}/*"))?,
            };
            out.push((name.clone(), value));
        }
        Some(Json::Object(out))
    }
}
