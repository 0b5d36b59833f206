use regex_syntax::hir::Hir;

use super::decimal::ExactDecimal;
use super::read_rules::read;
use super::value::Value;

/// The place of a rule in [`RuleSet`].
pub(super) type Id = usize;

/// A JSON Schema, taken apart: one rule for each schema inside it, so that a reference is the place
/// of another rule.
#[derive(Debug, Clone)]
pub(super) struct RuleSet {
    list: Vec<Rule>,
    /// True if every keyword is one that samples are made by.
    pub(super) are_known: bool,
}

/// Constraints of one schema.
#[derive(Debug, Clone, Default)]
pub(super) struct Rule {
    /// The schema `false`.
    pub(super) never: bool,
    /// None for every type.
    pub(super) types: Vec<Type>,
    /// Values that `enum` and `const` list.
    pub(super) allowed: Option<Vec<Value>>,
    pub(super) refused: Vec<Value>,
    /// The members of a union, or the one target of a reference.
    pub(super) any_of: Vec<Id>,
    pub(super) minimum: Option<NumberBound>,
    pub(super) maximum: Option<NumberBound>,
    pub(super) multiple_of: Option<ExactDecimal>,
    /// Characters of a string.
    pub(super) length: CountRange,
    pub(super) pattern: Option<Hir>,
    pub(super) format: Option<String>,
    pub(super) prefix: Vec<Id>,
    pub(super) items: Option<Id>,
    pub(super) elements: CountRange,
    pub(super) unique: bool,
    pub(super) properties: Vec<(String, Id)>,
    pub(super) required: Vec<String>,
    pub(super) additional: Additional,
    pub(super) names: Option<Id>,
    pub(super) keys: CountRange,
    /// Nesting depth of the flattest value that it admits.
    pub(super) height: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    pub(super) const ALL: [Self; 6] = [
        Self::Null,
        Self::Boolean,
        Self::Number,
        Self::String,
        Self::Array,
        Self::Object,
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberBound {
    pub(super) at: ExactDecimal,
    /// True if the bound itself is out.
    pub(super) exclusive: bool,
}

/// At least and at most so many.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CountRange {
    pub(super) min: usize,
    pub(super) max: Option<usize>,
}

impl CountRange {
    pub(super) fn admits(self, count: usize) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }
}

/// Values behind keys that have no name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Additional {
    #[default]
    Any,
    None,
    Each(Id),
}

impl Rule {
    pub(super) fn admits_type(&self, asked: Type) -> bool {
        let is_number = asked == Type::Integer && self.types.contains(&Type::Number);
        self.types.is_empty() || self.types.contains(&asked) || is_number
    }

    /// The rule of an array's element, if there is one.
    pub(super) fn element(&self, at: usize) -> Option<Id> {
        self.prefix.get(at).copied().or(self.items)
    }

    pub(super) fn property(&self, key: &str) -> Option<Id> {
        let mut properties = self.properties.iter();
        properties
            .find(|(name, _)| name == key)
            .map(|(_, rule)| *rule)
    }
}

impl RuleSet {
    /// Reads the text of a schema. The rule of the whole is the first.
    pub(super) fn read(schema: &str) -> Self {
        let (list, are_known) = read(schema);
        let mut rules = Self { list, are_known };
        rules.measure();
        rules
    }

    pub(super) fn get(&self, id: Id) -> Option<&Rule> {
        self.list.get(id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.list.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn height(&self, id: Id) -> Option<usize> {
        self.get(id)?.height
    }

    /// Finds each rule's height. What a rule needs is found before the rule, so this ends when a
    /// round finds nothing; what has no height then admits nothing.
    fn measure(&mut self) {
        loop {
            let mut found = Vec::new();
            for (id, rule) in self.list.iter().enumerate() {
                if rule.height.is_none()
                    && let Some(height) = self.measured(rule)
                {
                    found.push((id, height));
                }
            }
            if found.is_empty() {
                return;
            }
            for (id, height) in found {
                if let Some(rule) = self.list.get_mut(id) {
                    rule.height = Some(height);
                }
            }
        }
    }

    fn measured(&self, rule: &Rule) -> Option<usize> {
        if rule.never {
            return None;
        }
        if !rule.any_of.is_empty() {
            return rule.any_of.iter().filter_map(|id| self.height(*id)).min();
        }
        let flat = [Type::Null, Type::Boolean, Type::Integer, Type::String];
        if rule.allowed.is_some() || flat.iter().any(|flat| rule.admits_type(*flat)) {
            return Some(0);
        }
        if rule.admits_type(Type::Number) {
            return Some(0);
        }
        let array = rule.admits_type(Type::Array).then(|| {
            let items = (0..rule.elements.min).filter_map(|at| rule.element(at));
            self.highest(items)
        });
        let object = rule.admits_type(Type::Object).then(|| {
            let named = rule.required.iter().filter_map(|key| rule.property(key));
            self.highest(named)
        });
        [array, object].into_iter().flatten().flatten().min()
    }

    /// One more than the highest of these, if all have a height.
    fn highest(&self, of: impl Iterator<Item = Id>) -> Option<usize> {
        of.map(|id| self.height(id))
            .try_fold(0, |highest, height| Some(highest.max(height?)))
            .map(|height| height + 1)
    }
}
