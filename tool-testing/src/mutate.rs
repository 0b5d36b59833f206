use super::decimal::ExactDecimal;
use super::make::Maker;
use super::mutation::Mutation;
use super::pick::{any, pick};
use super::rules::{Additional, CountRange, Id, Rule, RuleSet, Type};
use super::value::{Key, Node, Value};
use super::write::Style;

impl Maker<'_> {
    /// Makes one change, if there is a place for it.
    pub(super) fn change(&mut self, root: &mut Node, style: &mut Style, how: Mutation) -> bool {
        let rules = self.rules;
        let changed = match how {
            Mutation::WrongType => any(root, self.rng).and_then(|node| self.other_type(node)),
            Mutation::Null => any(root, self.rng).map(|node| node.value = Value::Null),
            Mutation::OtherVariant => any(root, self.rng).and_then(|node| {
                let id = self.rng.below(rules.len());
                node.value = self.node(id, 4)?.value;
                Some(())
            }),
            Mutation::Nested => any(root, self.rng).map(|node| self.nest(node)),
            Mutation::BeyondBound
            | Mutation::OtherWidth
            | Mutation::Fraction
            | Mutation::Exponent
            | Mutation::HugeDigits
            | Mutation::RespelledNumber => {
                let node = pick(root, self.rng, &|node| {
                    matches!(node.value, Value::Number(_))
                });
                node.and_then(|node| self.change_number(node, how))
            }
            Mutation::LongerString | Mutation::ShorterString | Mutation::MisspelledString => {
                let node = pick(root, self.rng, &|node| {
                    matches!(node.value, Value::String(_))
                });
                node.and_then(|node| self.change_string(node, how))
            }
            Mutation::OtherTag => {
                let is_constant = |node: &Node| {
                    let rule = node.rule.and_then(|id| rules.get(id));
                    rule.is_some_and(|rule| rule.allowed.is_some())
                };
                pick(root, self.rng, &is_constant).and_then(|node| {
                    node.value = self.constant()?;
                    Some(())
                })
            }
            Mutation::MoreElements | Mutation::FewerElements | Mutation::RepeatedElement => {
                let node = pick(root, self.rng, &|node| {
                    matches!(node.value, Value::Array(_))
                });
                node.and_then(|node| self.change_array(node, how))
            }
            Mutation::MissingKey
            | Mutation::UnknownKey
            | Mutation::MisspelledKey
            | Mutation::DuplicateKey
            | Mutation::DuplicateEscapedKey
            | Mutation::ArrayForObject
            | Mutation::ReorderedKeys
            | Mutation::TagLast
            | Mutation::OptionalDropped
            | Mutation::OptionalAdded => {
                let node = pick(root, self.rng, &|node| {
                    matches!(node.value, Value::Object(_))
                });
                node.and_then(|node| self.change_object(node, how))
            }
            Mutation::OtherEscapes => {
                let has_text = |node: &Node| match &node.value {
                    Value::String(text) => !text.is_empty(),
                    Value::Object(entries) => !entries.is_empty(),
                    _ => false,
                };
                style.escapes = if self.rng.percent(50) { 100 } else { 30 };
                pick(root, self.rng, &has_text).map(drop)
            }
            Mutation::WhiteSpace => {
                style.space = 50;
                Some(())
            }
            // These are made to the text.
            Mutation::Truncated | Mutation::Damaged => Some(()),
        };
        changed.is_some()
    }

    fn other_type(&mut self, node: &mut Node) -> Option<()> {
        let text = match &node.value {
            // What most readers would take for it.
            Value::Number(text) => text.clone(),
            Value::Bool(value) => value.to_string(),
            Value::Null => "null".to_owned(),
            _ => "1".to_owned(),
        };
        let values = [
            Value::Bool(true),
            Value::Number("1".to_owned()),
            Value::String(text),
            Value::Array(vec![node.clone()]),
            Value::Object(vec![(Key::new("value"), node.clone())]),
        ];
        let value = self.rng.pick(&values)?;
        let is_other = std::mem::discriminant(value) != std::mem::discriminant(&node.value);
        is_other.then(|| node.value = value.clone())
    }

    fn nest(&mut self, node: &mut Node) {
        let most = if self.rng.percent(20) { 140 } else { 3 };
        let key = self.strange_key();
        for _ in 0..self.rng.between(1, most) {
            let inner = std::mem::replace(&mut node.value, Value::Null).into();
            node.value = if self.rng.percent(70) {
                Value::Array(vec![inner])
            } else {
                Value::Object(vec![(Key::new(key.as_str()), inner)])
            };
        }
    }

    fn change_number(&mut self, node: &mut Node, how: Mutation) -> Option<()> {
        let Value::Number(text) = &mut node.value else {
            return None;
        };
        let number = ExactDecimal::read(text)?;
        let rule = node.rule.and_then(|id| self.rules.get(id));
        *text = match how {
            Mutation::BeyondBound => {
                let rule = rule?;
                let whole = !rule.admits_type(Type::Number);
                let places = if whole { 0 } else { self.rng.between(0, 4) };
                let places = i64::try_from(places).unwrap_or(0);
                let beyond = if self.rng.percent(50) {
                    rule.minimum.as_ref()?.at.next(false, places)
                } else {
                    rule.maximum.as_ref()?.at.next(true, places)
                };
                self.spelled(&beyond)
            }
            Mutation::OtherWidth => self.edge(),
            Mutation::Fraction => {
                let places = i64::try_from(self.rng.between(1, 20)).unwrap_or(1);
                let up = self.rng.percent(50);
                let fraction = number.next(up, places);
                self.spelled(&fraction)
            }
            Mutation::Exponent => {
                let exponents = [
                    "1e40", "-1e40", "1e-3", "1e2", "1E400", "-3.5e38", "1e-400", "25e-1",
                ];
                self.rng.pick(&exponents).copied()?.to_owned()
            }
            Mutation::HugeDigits => self.huge(),
            _ => {
                let spelled = number.respelled(self.rng);
                (spelled != *text).then_some(spelled)?
            }
        };
        Some(())
    }

    fn change_string(&mut self, node: &mut Node, how: Mutation) -> Option<()> {
        let Value::String(text) = &mut node.value else {
            return None;
        };
        let rule = node.rule.and_then(|id| self.rules.get(id));
        let length = rule.map_or(CountRange::default(), |rule| rule.length);
        match how {
            Mutation::LongerString => {
                let count = length.max.unwrap_or(3).saturating_sub(text.chars().count());
                let more = self.characters(CountRange {
                    min: count.saturating_add(1),
                    max: Some(count.saturating_add(1)),
                });
                text.push_str(&more);
            }
            Mutation::ShorterString => {
                let kept = length.min.saturating_sub(1);
                let is_shorter = text.chars().count() > kept;
                *text = is_shorter.then(|| text.chars().take(kept).collect())?;
            }
            _ => {
                let other = self.misspelled(text);
                *text = (other != *text).then_some(other)?;
            }
        }
        Some(())
    }

    /// One of the schema's constants.
    fn constant(&mut self) -> Option<Value> {
        let rules = self.rules;
        let constants: Vec<_> = rules
            .iter()
            .filter_map(|rule| rule.allowed.as_ref())
            .collect();
        let of = *self.rng.pick(&constants)?;
        self.rng.pick(of).cloned()
    }

    fn change_array(&mut self, node: &mut Node, how: Mutation) -> Option<()> {
        let rules = self.rules;
        let rule = node.rule.and_then(|id| rules.get(id));
        let Value::Array(items) = &mut node.value else {
            return None;
        };
        match how {
            Mutation::MoreElements => {
                let most = rule.and_then(|rule| rule.elements.max);
                let count = most.map_or(1, |max| max.saturating_sub(items.len()) + 1);
                for _ in 0..count.min(40) {
                    let id = rule.and_then(|rule| rule.element(items.len()));
                    items.push(match id.and_then(|id| self.node(id, 4)) {
                        Some(item) => item,
                        None => self.anything(4).into(),
                    });
                }
            }
            Mutation::FewerElements => {
                let at = self.rng.below(items.len());
                (at < items.len()).then(|| items.remove(at))?;
            }
            _ => {
                let item = self.rng.pick(items)?.clone();
                let at = self.rng.below(items.len() + 1);
                items.insert(at, item);
            }
        }
        Some(())
    }

    fn change_object(&mut self, node: &mut Node, how: Mutation) -> Option<()> {
        let rules = self.rules;
        let nothing = Rule::default();
        let rule = node.rule.and_then(|id| rules.get(id)).unwrap_or(&nothing);
        let Value::Object(entries) = &mut node.value else {
            return None;
        };
        let at = self.rng.below(entries.len());
        let is_optional = |key: &Key| !rule.required.contains(&key.name);
        match how {
            Mutation::MissingKey => {
                (at < entries.len()).then(|| entries.remove(at))?;
            }
            Mutation::UnknownKey => {
                let key = if matches!(rule.additional, Additional::Each(_)) {
                    self.unknown_name()
                } else {
                    self.strange_key()
                };
                let value = match rule.additional {
                    Additional::Each(id) => self.node(id, 4)?,
                    _ => self.anything(4).into(),
                };
                let is_there = entries.iter().any(|(there, _)| there.name == key);
                (!is_there).then(|| entries.insert(at, (Key::new(key), value)))?;
            }
            Mutation::MisspelledKey => {
                let (key, _) = entries.get_mut(at)?;
                key.name = self.misspelled(&key.name);
            }
            Mutation::DuplicateKey | Mutation::DuplicateEscapedKey => {
                let (mut key, value) = entries.get(at)?.clone();
                key.escaped = how == Mutation::DuplicateEscapedKey;
                let to = self.rng.below(entries.len() + 1);
                entries.insert(to, (key, value));
            }
            Mutation::ArrayForObject => {
                let values = entries.drain(..).map(|(_, value)| value).collect();
                node.value = Value::Array(values);
            }
            Mutation::ReorderedKeys => {
                (entries.len() > 1).then(|| self.rng.shuffle(entries))?;
            }
            Mutation::TagLast => {
                let tag = entries.iter().position(|(_, node)| is_tag(node, rules))?;
                let tag = entries.remove(tag);
                entries.push(tag);
            }
            Mutation::OptionalDropped => {
                let is_spare = entries.len() > rule.keys.min;
                let drops = is_spare && entries.get(at).is_some_and(|(key, _)| is_optional(key));
                drops.then(|| entries.remove(at))?;
            }
            _ => {
                if rule.keys.max.is_some_and(|max| entries.len() >= max) {
                    return None;
                }
                let entry = self.optional_entry(rule)?;
                let is_there = entries.iter().any(|(key, _)| key.name == entry.0.name);
                (!is_there).then(|| entries.insert(at, entry))?;
            }
        }
        Some(())
    }

    fn optional_entry(&mut self, rule: &Rule) -> Option<(Key, Node)> {
        if rule.properties.is_empty() || self.rng.percent(20) {
            return self.other_entry(rule, 4);
        }
        let (name, id) = self.rng.pick(&rule.properties)?;
        Some((Key::new(name.as_str()), self.node(*id, 4)?))
    }

    /// A name for a key of a map, which may ask for numbers.
    fn unknown_name(&mut self) -> String {
        if self.rng.percent(50) {
            self.edge()
        } else {
            self.strange_key()
        }
    }
}

/// Returns true if this is a constant that has no other value.
fn is_tag(node: &Node, rules: &RuleSet) -> bool {
    let allowed = |id: Id| rules.get(id).and_then(|rule| rule.allowed.as_ref());
    let allowed = node.rule.and_then(allowed);
    allowed.is_some_and(|allowed| allowed.len() == 1)
}
