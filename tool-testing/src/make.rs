use super::rng::Rng;
use super::rules::{Additional, Id, Rule, RuleSet, Type};
use super::value::{Key, Node, Value};

/// Makes values by rules.
pub(super) struct Maker<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) rng: &'a mut Rng,
}

/// Below this many values inside each other nothing is made that need not be.
const DEEP: usize = 6;

impl Maker<'_> {
    /// A value that a rule admits. `None` where the rule admits none, or none was found.
    pub(super) fn node(&mut self, id: Id, depth: usize) -> Option<Node> {
        let rules = self.rules;
        let rule = rules.get(id).filter(|rule| rule.height.is_some())?;
        if !rule.any_of.is_empty() {
            let mut members = rule.any_of.clone();
            members.retain(|member| rules.height(*member).is_some());
            if depth >= DEEP {
                let least = members.iter().filter_map(|id| rules.height(*id)).min();
                members.retain(|member| rules.height(*member) == least);
            }
            let member = *self.rng.pick(&members)?;
            return self.node(member, depth);
        }
        let value = match &rule.allowed {
            Some(allowed) => self.rng.pick(allowed).cloned()?,
            None => self.value(rule, depth)?,
        };
        let is_refused = rule.refused.iter().any(|refused| refused.is_same(&value));
        let rule = Some(id);
        (!is_refused).then_some(Node { rule, value })
    }

    fn value(&mut self, rule: &Rule, depth: usize) -> Option<Value> {
        let mut types: Vec<Type> = match rule.types.as_slice() {
            [] => Type::ALL.to_vec(),
            types => types.to_vec(),
        };
        let is_nested = |of: &Type| matches!(of, Type::Array | Type::Object);
        if depth >= DEEP && !types.iter().all(is_nested) {
            types.retain(|of| !is_nested(of));
        }
        // Null is rarely what is meant where something else may stand.
        if types.len() > 1 && self.rng.percent(60) {
            types.retain(|of| *of != Type::Null);
        }
        match *self.rng.pick(&types)? {
            Type::Null => Some(Value::Null),
            Type::Boolean => Some(Value::Bool(self.rng.percent(50))),
            Type::Integer | Type::Number => {
                let number = self.number(rule)?;
                Some(Value::Number(self.spelled(&number)))
            }
            Type::String => self.string(rule).map(Value::String),
            Type::Array => self.array(rule, depth),
            Type::Object => self.object(rule, depth),
        }
    }

    fn array(&mut self, rule: &Rule, depth: usize) -> Option<Value> {
        let least = rule.elements.min;
        let most = match rule.items {
            // What follows the first elements without a rule is left out.
            None if !rule.prefix.is_empty() => rule.prefix.len(),
            _ => least + self.few(depth),
        };
        let most = rule.elements.max.unwrap_or(most).min(most);
        let count = self.rng.between(least, most.max(least));
        let mut items: Vec<Node> = Vec::new();
        let mut tries = 0;
        while items.len() < count {
            let item = match rule.element(items.len()) {
                Some(id) => self.node(id, depth + 1)?,
                None => self.anything(depth + 1).into(),
            };
            tries += 1;
            let is_there = rule.unique && items.iter().any(|it| it.value.is_same(&item.value));
            if !is_there {
                items.push(item);
            } else if tries > 100 {
                break;
            }
        }
        rule.elements
            .admits(items.len())
            .then_some(Value::Array(items))
    }

    fn object(&mut self, rule: &Rule, depth: usize) -> Option<Value> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        let most = rule.keys.max.unwrap_or(usize::MAX);
        let optional = if depth >= DEEP {
            0
        } else {
            *self.rng.pick(&[0, 50, 50, 100])?
        };
        let required = rule.required.iter().map(|key| rule.property(key));
        let spare = most.saturating_sub(required.count());
        let mut spent = 0;
        for (key, id) in &rule.properties {
            let is_required = rule.required.contains(key);
            if is_required {
                entries.push((Key::new(key.as_str()), self.node(*id, depth + 1)?));
            } else if spent < spare
                && self.rng.percent(optional)
                && let Some(node) = self.node(*id, depth + 1)
            {
                entries.push((Key::new(key.as_str()), node));
                spent += 1;
            }
        }
        for key in &rule.required {
            if rule.property(key).is_none() {
                let entry = self.other_value(rule, depth)?;
                entries.push((Key::new(key.as_str()), entry));
            }
        }
        let missing = rule.keys.min.saturating_sub(entries.len());
        let more = missing + self.few(depth);
        for _ in 0..more * 10 {
            let enough = missing + self.rng.below(more + 1);
            if entries.len() >= most || entries.len() >= rule.keys.min.max(enough) {
                break;
            }
            if let Some(entry) = self.other_entry(rule, depth)
                && !entries.iter().any(|(key, _)| key.name == entry.0.name)
            {
                entries.push(entry);
            }
        }
        if self.rng.percent(30) {
            self.rng.shuffle(&mut entries);
        }
        rule.keys
            .admits(entries.len())
            .then_some(Value::Object(entries))
    }

    /// An entry whose key has no rule of its own, if the object takes one.
    pub(super) fn other_entry(&mut self, rule: &Rule, depth: usize) -> Option<(Key, Node)> {
        if matches!(rule.additional, Additional::None) {
            return None;
        }
        let names = rule.names.and_then(|id| self.rules.get(id));
        let key = self.key(names)?;
        if rule.property(&key).is_some() {
            return None;
        }
        Some((Key::new(key), self.other_value(rule, depth)?))
    }

    fn other_value(&mut self, rule: &Rule, depth: usize) -> Option<Node> {
        match rule.additional {
            Additional::Each(id) => self.node(id, depth + 1),
            Additional::Any | Additional::None => Some(self.anything(depth + 1).into()),
        }
    }

    /// Picks the number of optional parts, which falls with the depth.
    fn few(&mut self, depth: usize) -> usize {
        match depth {
            0 | 1 => self.rng.below(5),
            2..DEEP => self.rng.below(3),
            _ => 0,
        }
    }

    /// Any value at all.
    pub(super) fn anything(&mut self, depth: usize) -> Value {
        let value = self.value(&Rule::default(), depth.max(DEEP - 2));
        value.unwrap_or(Value::Null)
    }
}
