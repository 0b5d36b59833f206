//! Keywords that depend on other keywords: `patternProperties`, `unevaluatedProperties`, `unevaluatedItems`.

use toolwright_json::Value;

use super::{Keywords, TreeReader, array};
use crate::keyword::{COMBINING, Keyword, REFERENCES};
use crate::read::{Parts, refs};
use crate::shape::{Check, Evaluated, Kind, PatternKeys, Rule, Shape, Text};

impl<'a> TreeReader<'_, 'a> {
    /// Returns the shape that patterns of keys give to objects. A pattern that cannot be matched may match any key.
    pub(super) fn pattern_keys(&mut self, keywords: &Keywords<'_>, at: &str) -> Option<Shape<'a>> {
        self.patterns?;
        let patterns = keywords.named(Keyword::PatternProperties)?;
        let mut known = Vec::new();
        for (pattern, schema) in patterns {
            let shape = self.named(schema, at, Keyword::PatternProperties, pattern);
            known.extend(self.pattern(pattern).map(|pattern| (pattern, shape)));
        }
        let rest = keywords.keyword(Keyword::AdditionalProperties);
        let rest = rest.filter(|_| known.len() == patterns.len());
        let rest = rest.map(|rest| self.part(rest, at, Keyword::AdditionalProperties));
        let mut declared = self.declared_keys(keywords);
        declared.sort_unstable();
        let keys = PatternKeys {
            patterns: self.memory.list(&known),
            declared: self.memory.list(&declared),
            rest,
        };
        // Patterns and `properties` decide together which keys are additional.
        let kept = if keywords.has(Keyword::AdditionalProperties) {
            keywords.to_json()
        } else {
            let name = Keyword::PatternProperties.as_str();
            Value::object([(name, Value::Object(patterns.to_vec()))]).to_json()
        };
        Some(self.text_rule(&kept, Check::Keys(keys)))
    }

    fn declared_keys(&self, keywords: &Keywords<'_>) -> Vec<&'a str> {
        let declared = keywords.declared().unwrap_or_default();
        declared.iter().map(|(name, _)| self.text(name)).collect()
    }

    fn text_rule(&self, keywords: &str, check: Check<'a>) -> Shape<'a> {
        let keywords = self.text(keywords);
        Shape::new(Kind::Rule(Rule::Text(Text { keywords, check })))
    }

    /// Reads `unevaluatedProperties` and `unevaluatedItems`.
    pub(super) fn unevaluated(
        &mut self,
        keywords: &Keywords<'_>,
        at: &str,
        parts: &mut Vec<Shape<'a>>,
    ) {
        if self.patterns.is_none() {
            return;
        }
        for (keyword, of) in [
            (Keyword::UnevaluatedProperties, b'{'),
            (Keyword::UnevaluatedItems, b'['),
        ] {
            let Some(rest) = keywords.keyword(keyword) else {
                continue;
            };
            let rest = self.part(rest, at, keyword);
            let by = self.evaluated_by(keywords, at, of, false);
            let check = Check::Unevaluated { by, rest, of };
            parts.push(self.text_rule(&keywords.to_json(), check));
        }
    }

    /// Returns the entries (`of` is `{`) or elements that the schema at a pointer looks at.
    fn evaluated(&mut self, schema: &Value<'_>, at: &str, of: u8) -> &'a Evaluated<'a> {
        let key = (at.to_owned(), of == b'{');
        if let Some(known) = self.evaluated.get(&key) {
            return known;
        }
        let found = self.evaluated_by(schema, at, of, true);
        self.evaluated.insert(key, found);
        found
    }

    /// The parts that a schema evaluates, without those of its `unevaluated…` keywords.
    fn evaluated_by(
        &mut self,
        keywords: &Keywords<'_>,
        at: &str,
        of: u8,
        is_whole: bool,
    ) -> &'a Evaluated<'a> {
        let targets = self.references(keywords, at);
        let links = REFERENCES.into_iter().filter(|link| keywords.has(*link));
        let mut found = Evaluated {
            // Where nothing is known of a reference, it may look at everything.
            all: links.count() > targets.len(),
            keys: &[],
            patterns: &[],
            first: 0,
            contains: None,
            parts: &[],
        };
        if of == b'{' {
            let patterns = keywords
                .named(Keyword::PatternProperties)
                .unwrap_or_default();
            let known: Vec<_> = patterns
                .iter()
                .filter_map(|(one, _)| self.pattern(one))
                .collect();
            found.all |= known.len() < patterns.len()
                || keywords.has(Keyword::AdditionalProperties)
                || is_whole && keywords.has(Keyword::UnevaluatedProperties);
            found.keys = self.memory.list(&self.declared_keys(keywords));
            found.patterns = self.memory.list(&known);
        } else {
            let (first, rest) = array::names(keywords);
            found.all |= keywords.has(rest) || is_whole && keywords.has(Keyword::UnevaluatedItems);
            found.first = keywords.list(first).map_or(0, <[_]>::len);
            if keywords.has(Keyword::Contains) {
                found.contains = Some(self.apart(&format!("{at}/contains")));
            }
        }
        found.parts = self.other_parts(keywords, at, of, &targets);
        self.memory.one(found)
    }

    /// Returns the parts that other schemas for the same value evaluate, each with its condition.
    fn other_parts(
        &mut self,
        keywords: &Keywords<'_>,
        at: &str,
        of: u8,
        targets: &[String],
    ) -> &'a [(&'a Shape<'a>, &'a Evaluated<'a>)] {
        let mut parts = Vec::new();
        for target in targets {
            if let Some(schema) = refs::at(self.document.schema, target) {
                parts.push((Shape::ANYTHING, self.evaluated(schema, target, of)));
            }
        }
        for keyword in COMBINING {
            let members = keywords.list(keyword).unwrap_or_default();
            for (index, member) in members.iter().enumerate() {
                let at = format!("{at}/{}/{index}", keyword.as_str());
                let condition = match keyword {
                    Keyword::AllOf => Shape::ANYTHING,
                    _ => self.apart(&at),
                };
                parts.push((condition, self.evaluated(member, &at, of)));
            }
        }
        if keywords.has(Keyword::If) {
            let is_met = self.apart(&format!("{at}/if"));
            let is_not = self.keep(&Shape::new(Kind::Rule(Rule::Not(is_met))));
            for (keyword, condition) in [
                (Keyword::If, is_met),
                (Keyword::Then, is_met),
                (Keyword::Else, is_not),
            ] {
                if let Some(schema) = keywords.keyword(keyword) {
                    let at = format!("{at}/{}", keyword.as_str());
                    parts.push((condition, self.evaluated(schema, &at, of)));
                }
            }
        }
        for keyword in [Keyword::DependentSchemas, Keyword::Dependencies] {
            for (key, schema) in keywords.named(keyword).unwrap_or_default() {
                let at = format!("{at}/{}/{}", keyword.as_str(), crate::text::escaped(key));
                parts.push((self.requiring(&[key]), self.evaluated(schema, &at, of)));
            }
        }
        self.memory.list(&parts)
    }
}
