//! Search over the tools of a set, by words.

mod words;

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::OnceLock;

use foldhash::fast::RandomState;

use self::words::{clauses, each_word};
use super::{ToolEntry, Toolset, ToolsetData};
use crate::tool::Scope;
use toolwright_provider::call::ToolDef;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::{Ordered, Parts, read};

/// A tool that a search found.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct FoundTool<'t> {
    /// The tool's definition.
    pub def: &'t ToolDef,
    /// How well it fits: more is better. Scores of one search can be compared, those of two cannot.
    pub score: f32,
}

impl Toolset {
    /// Returns at most `most` of the visible tools that words ask for, the best first. Tools are ranked by BM25 over names,
    /// descriptions, arguments and examples; of equal ones the first in the set comes first.
    ///
    /// The first search reads all definitions, which the set and its clones keep.
    #[doc(hidden)]
    pub fn search(&self, words: &str, most: usize, scope: &Scope<'_>) -> Vec<FoundTool<'_>> {
        let seen = self.entries().map(|entry| entry.is_visible(scope, None));
        let seen: Vec<bool> = seen.collect();
        let ranked = self.set.search_index().ranked(words, &seen);
        let seen = ranked.into_iter().filter_map(|(at, score)| {
            let entry = self.set.tools.get(at)?;
            let found = FoundTool {
                def: entry.def(),
                score,
            };
            Some(found)
        });
        seen.take(most).collect()
    }
}

impl ToolsetData {
    pub(super) fn search_index(&self) -> &Index {
        self.search.0.get_or_init(|| Index::of(&self.tools))
    }
}

/// The index of a set, made by the first search.
#[derive(Default)]
pub(super) struct LazyIndex(OnceLock<Index>);

/// A copy of a set will be changed, and starts without it.
impl Clone for LazyIndex {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Inverted index: the tools of each word, with weights.
#[derive(Default)]
pub(super) struct Index {
    words: HashMap<Box<str>, usize, RandomState>,
    /// For each word, its tools: their places in the set, in order, and the word's weight.
    places: Vec<Vec<(u32, f32)>>,
    /// How much each tool has of all words.
    lengths: Vec<f32>,
}

/// Weight of a word in a name; a word in a description has 1.
const NAME: f32 = 2.0;
/// Weight of a word in an argument's name or description, which is mostly about the argument alone.
const ARGUMENT: f32 = 0.3;
/// Weight of a word about the group of a tool.
const GROUP: f32 = 0.3;
/// Saturation of repeated words (BM25).
const K1: f32 = 0.9;
/// How much a long definition makes up for.
const B: f32 = 0.75;

impl Index {
    fn of(tools: &[ToolEntry]) -> Self {
        let mut index = Self::default();
        for (at, entry) in (0..).zip(tools) {
            let (own, _) = entry.visible();
            let def = entry.tool.__whole().unwrap_or(own);
            let mut length = 0.0;
            let group = entry.namespace.as_ref();
            let of_group = group.map_or(["", ""], |group| [group.name(), group.description()]);
            let mut each = |text: &str, weight: f32| {
                each_word(text, &mut |word| {
                    index.add(word, at, weight);
                    length += weight;
                });
            };
            texts(def, &mut each);
            for text in of_group {
                each(text, GROUP);
            }
            index.lengths.push(length);
        }
        index
    }

    fn add(&mut self, word: &str, at: u32, weight: f32) {
        let known = match self.words.get(word) {
            Some(known) => *known,
            None => {
                self.places.push(Vec::new());
                match self.words.entry(word.into()) {
                    Slot::Vacant(slot) => *slot.insert(self.places.len() - 1),
                    Slot::Occupied(slot) => *slot.get(),
                }
            }
        };
        let Some(places) = self.places.get_mut(known) else {
            return;
        };
        match places.last_mut() {
            Some((last, count)) if *last == at => *count += weight,
            _ => places.push((at, weight)),
        }
    }

    /// The places of the tools with a word of the query, and their scores, the best first. Tools that are not `seen` do
    /// not affect scores. Only the beginning of a long query counts.
    ///
    /// A query may ask for several things, each in its clause. The best match of a clause counts as much as the best
    /// match of the whole.
    pub(super) fn ranked(&self, query: &str, seen: &[bool]) -> Vec<(usize, f32)> {
        let query = query
            .get(..query.floor_char_boundary(LONGEST_QUERY))
            .unwrap_or_default();
        let seen = VisibleIndex::of(self, seen);
        let whole = seen.asked(query);
        let mut scores = seen.scores(&whole);
        let mut best = vec![0.0; scores.len()];
        for clause in clauses(query).into_iter().take(MOST_CLAUSES) {
            let asked = seen.asked(&clause);
            // A single word is not a clause, and the whole query was scored already.
            if (2..whole.len()).contains(&asked.len()) {
                for (best, score) in best.iter_mut().zip(seen.scores(&asked)) {
                    *best = score.max(*best);
                }
            }
        }
        for (score, best) in scores.iter_mut().zip(best) {
            *score += best;
        }
        let found = scores.into_iter().enumerate();
        let mut ranked: Vec<(usize, f32)> = found.filter(|(_, score)| *score > 0.0).collect();
        ranked.sort_unstable_by(|(at, score), (other, than)| {
            than.total_cmp(score).then(at.cmp(other))
        });
        ranked
    }
}

/// The bytes of a query that are looked at.
const LONGEST_QUERY: usize = 2_000;
/// The clauses of a query that are looked at.
const MOST_CLAUSES: usize = 16;

/// An index, as a conversation sees it.
struct VisibleIndex<'i> {
    index: &'i Index,
    shown: &'i [bool],
    /// The number of tools.
    tools: f32,
    /// Their mean length.
    mean: f32,
}

impl<'i> VisibleIndex<'i> {
    #[allow(clippy::cast_precision_loss)] // A score is not a count.
    fn of(index: &'i Index, seen: &'i [bool]) -> Self {
        let lengths = index.lengths.iter().zip(seen).filter(|(_, seen)| **seen);
        let tools = lengths.clone().count() as f32;
        let sum: f32 = lengths.map(|(length, _)| length).sum();
        Self {
            index,
            shown: seen,
            tools,
            mean: (sum / tools.max(1.0)).max(f32::MIN_POSITIVE),
        }
    }

    /// The tools that have a word, and how much of it they have.
    fn places(&self, word: usize) -> impl Iterator<Item = (usize, f32)> + Clone {
        let places = self.index.places.get(word).into_iter().flatten();
        let places = places.map(|(at, count)| (*at as usize, *count));
        places.filter(|(at, _)| self.shown.get(*at).copied().unwrap_or(false))
    }

    /// The words of a query that some tool has, each once.
    fn asked(&self, query: &str) -> Vec<usize> {
        let mut asked = Vec::new();
        each_word(query, &mut |word| {
            if let Some(known) = self.index.words.get(word)
                && !asked.contains(known)
                && self.places(*known).next().is_some()
            {
                asked.push(*known);
            }
        });
        asked
    }

    /// How well each tool fits, as a part of the one that fits best: Okapi BM25, with the inverse document frequency of Lucene,
    /// which is never below zero.
    #[allow(clippy::cast_precision_loss)]
    fn scores(&self, asked: &[usize]) -> Vec<f32> {
        let mut scores = vec![0.0; self.index.lengths.len()];
        for word in asked {
            let have = self.places(*word).count() as f32;
            let rarity = (1.0 + (self.tools - have + 0.5) / (have + 0.5)).ln();
            for (at, count) in self.places(*word) {
                let length = self.index.lengths.get(at).copied().unwrap_or(self.mean);
                let norm = K1 * (1.0 - B + B * length / self.mean);
                if let Some(sum) = scores.get_mut(at) {
                    *sum += rarity * count * (K1 + 1.0) / (count + norm);
                }
            }
        }
        let most = scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        for score in &mut scores {
            *score /= most;
        }
        scores
    }
}

/// Calls a function with each text of a definition and the weight of its words.
fn texts(def: &ToolDef, each: &mut dyn FnMut(&str, f32)) {
    each(&def.name, NAME);
    each(def.title.as_deref().unwrap_or_default(), NAME);
    each(&def.description, 1.0);
    if let Some(schema) = read(def.input.as_json()) {
        arguments(&schema, each);
    }
    for example in &def.examples {
        each(&example.arguments, 1.0);
        each(&example.shows, 1.0);
    }
}

/// The names, descriptions and fixed values of arguments, at any depth.
fn arguments(schema: &Ordered, each: &mut dyn FnMut(&str, f32)) {
    each(schema.description(), ARGUMENT);
    for value in schema.literals().unwrap_or_default() {
        each(value.as_str().unwrap_or_default(), ARGUMENT);
    }
    for (name, of) in schema.declared().unwrap_or_default() {
        each(name, 0.5);
        arguments(of, each);
    }
    for (_, of) in schema.named(Keyword::Defs).unwrap_or_default() {
        arguments(of, each);
    }
    for of in schema.combined().chain(schema.keyword(Keyword::Items)) {
        arguments(of, each);
    }
}
