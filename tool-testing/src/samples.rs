use super::make::Maker;
use super::mutation::Mutation;
use super::rng::Rng;
use super::rules::RuleSet;
use super::value::{Node, Value};
use super::write::{Style, Writer};
use toolwright_schema::render::SchemaDoc;

/// JSON texts by a schema: some that it admits, and some that it may not.
///
/// The same schema and seed give the same texts, in the same order. Numbers and strings come in all
/// of their spellings, keys in any order.
///
/// ```
/// use toolwright::schema::SchemaDoc;
/// use toolwright_testing::Samples;
///
/// let mut samples = Samples::of(&SchemaDoc::of::<Vec<u8>>(), 1);
/// for _ in 0..100 {
///     let text = samples.valid().unwrap();
///     let bytes: Vec<f64> = serde_json::from_str(&text).unwrap();
///     assert!(bytes.iter().all(|byte| (0.0..=255.0).contains(byte)));
/// }
/// // `[256]`, `[null]`, `[1.5,2`, `{"key":1}`, …
/// assert_ne!(samples.near().mutations, []);
/// ```
#[derive(Debug, Clone)]
pub struct Samples {
    rules: RuleSet,
    rng: Rng,
}

/// A text that a valid one became by a change or two.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// The text, which may be no JSON any more.
    pub text: String,
    /// Changes that were made, in this order.
    pub mutations: Vec<Mutation>,
}

impl Samples {
    /// Texts by this schema.
    pub fn of(schema: &SchemaDoc, seed: u64) -> Self {
        Self {
            rules: RuleSet::read(schema.as_json()),
            rng: Rng::new(seed),
        }
    }

    /// A text that the schema admits.
    ///
    /// `None` where it admits none, where none was found, or where it has a keyword that no schema
    /// of ours has.
    pub fn valid(&mut self) -> Option<String> {
        let node = self.node()?;
        let style = Style::any(&mut self.rng);
        Some(self.written(&node, style))
    }

    /// A text made from a valid one by a change or two. About a third are still valid; which ones, nobody says.
    pub fn near(&mut self) -> Sample {
        let mut node = self.node().unwrap_or(Node::from(Value::Null));
        let mut style = Style::any(&mut self.rng);
        let mut mutations = Vec::new();
        let keeps = self.rng.percent(KEPT);
        let count = if self.rng.percent(75) { 1 } else { 2 };
        for _ in 0..count {
            let done = (0..30).find_map(|_| {
                let mutation = self.mutation(keeps);
                let mut maker = Maker {
                    rules: &self.rules,
                    rng: &mut self.rng,
                };
                let is_changed = maker.change(&mut node, &mut style, mutation);
                is_changed.then_some(mutation)
            });
            mutations.extend(done);
        }
        let mut text = self.written(&node, style);
        for mutation in &mutations {
            damage(&mut text, *mutation, &mut self.rng);
        }
        Sample { text, mutations }
    }

    fn mutation(&mut self, keeps: bool) -> Mutation {
        let of: &[Mutation] = if keeps {
            &Mutation::KEEPING
        } else {
            Mutation::ALL
        };
        let picked = self.rng.pick(of).copied();
        picked.unwrap_or(Mutation::WhiteSpace)
    }

    fn node(&mut self) -> Option<Node> {
        if !self.rules.are_known {
            return None;
        }
        let mut maker = Maker {
            rules: &self.rules,
            rng: &mut self.rng,
        };
        (0..20).find_map(|_| maker.node(0, 0))
    }

    fn written(&mut self, node: &Node, style: Style) -> String {
        let mut writer = Writer {
            style,
            rng: &mut self.rng,
            out: String::new(),
        };
        writer.space();
        writer.node(node);
        writer.space();
        writer.out
    }
}

/// Percentage of texts that are changed only in ways that keep them valid.
const KEPT: usize = 5;

/// Changes a text that may be no JSON after it.
fn damage(text: &mut String, mutation: Mutation, rng: &mut Rng) {
    let mut chars: Vec<char> = text.chars().collect();
    let at = rng.below(chars.len());
    let char = rng.pick(&DAMAGE).copied().unwrap_or('x');
    match mutation {
        Mutation::Truncated => chars.truncate(at),
        Mutation::Damaged => match (rng.below(3), chars.get_mut(at)) {
            (0, Some(place)) => *place = char,
            (1, Some(_)) => {
                chars.remove(at);
            }
            _ => chars.insert(at, char),
        },
        _ => return,
    }
    *text = chars.into_iter().collect();
}

/// Characters of which most break JSON.
const DAMAGE: [char; 20] = [
    '{', '}', '[', ']', ',', ':', '"', '\\', '\'', '/', '0', '1', '-', '+', '.', 'e', 'n', '\n',
    '\u{0}', '\u{feff}',
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashMap;

    use super::Samples;
    use crate::Mutation;
    use toolwright_schema::render::SchemaDoc;

    #[test]
    fn the_same_seed_gives_the_same_texts() {
        let schema = SchemaDoc::of::<HashMap<String, Option<f64>>>();
        let (mut one, mut two) = (Samples::of(&schema, 3), Samples::of(&schema, 3));
        let mut other = Samples::of(&schema, 4);
        let mut differ = 0;
        for _ in 0..100 {
            let text = one.valid();
            assert_eq!(text, two.valid());
            differ += usize::from(text != other.valid());
            assert_eq!(one.near(), two.near());
        }
        assert!(differ > 50);
    }

    #[test]
    fn every_mutation_is_made() {
        let schema = SchemaDoc::parse(
            r#"{"type": "object", "properties": {
                "kind": {"type": "string", "enum": ["a", "b"]},
                "tag": {"type": "string", "enum": ["only"]},
                "n": {"type": "integer", "minimum": -5, "maximum": 5},
                "list": {"type": "array", "items": {"type": "string", "minLength": 1}}
            }, "required": ["kind", "tag", "list"], "additionalProperties": false}"#,
        );
        let mut samples = Samples::of(&schema.unwrap(), 5);
        let made: Vec<_> = (0..2000).flat_map(|_| samples.near().mutations).collect();
        for mutation in Mutation::ALL {
            assert!(made.contains(mutation), "{mutation:?}");
        }
    }

    #[test]
    fn what_admits_nothing_or_is_unknown_gives_nothing() {
        for schema in [
            "false",
            r##"{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}"##,
            r#"{"if": {"type": "string"}}"#,
            r#"{"type": "integer", "minimum": 1, "maximum": 0}"#,
        ] {
            let mut samples = Samples::of(&SchemaDoc::parse(schema).unwrap(), 1);
            assert_eq!(samples.valid(), None, "{schema}");
            assert_ne!(samples.near().text, "");
        }
    }
}
