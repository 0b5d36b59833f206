//! Arrays.

use toolwright_json::Value;

use super::{Keywords, TreeReader, all_of, count};
use crate::keyword::Keyword;
use crate::read::Parts;
use crate::shape::{Array, Contains, Kind, PrefixItems, Rule, Shape};

/// Arrays of any elements.
pub(super) const fn of_any<'a>(unique: bool) -> Shape<'a> {
    Shape::new(Kind::Array(Array {
        items: Shape::ANYTHING,
        min_len: 0,
        max_len: None,
        unique,
    }))
}

/// The keywords for the first places, and for the elements behind them.
pub(super) fn names(keywords: &Keywords<'_>) -> (Keyword, Keyword) {
    match keywords.keyword(Keyword::Items) {
        Some(Value::Array(_)) => (Keyword::Items, Keyword::AdditionalItems),
        _ => (Keyword::PrefixItems, Keyword::Items),
    }
}

/// Returns true if places of an array have schemas of their own.
fn has_places(keywords: &Keywords<'_>) -> bool {
    let (first, _) = names(keywords);
    keywords
        .list(first)
        .is_some_and(|places| !places.is_empty())
}

impl<'a> TreeReader<'_, 'a> {
    /// Returns the shape that keywords give to arrays, if they say anything.
    pub(super) fn array(&mut self, keywords: &Keywords<'_>, at: &str) -> Option<Shape<'a>> {
        let (_, rest) = names(keywords);
        let items = keywords
            .keyword(rest)
            .map(|items| self.part(items, at, rest))
            .filter(|items| !matches!(items.kind, Kind::Any));
        let contains = keywords.keyword(Keyword::Contains).map(|item| {
            Shape::new(Kind::Rule(Rule::Contains(Contains {
                item: self.part(item, at, Keyword::Contains),
                min: count(keywords, Keyword::MinContains).unwrap_or(1),
                max: count(keywords, Keyword::MaxContains),
            })))
        });
        let own = self.elements(keywords, at, items);
        let is_unique = has_places(keywords) && keywords.is_true(Keyword::UniqueItems);
        let unique = is_unique.then(|| of_any(true));
        let parts: Vec<_> = own.into_iter().chain(unique).chain(contains).collect();
        (!parts.is_empty()).then(|| all_of(self.memory, parts))
    }

    /// Returns the shape that keywords give to an array's elements. Those behind the first places are `items`.
    fn elements(
        &mut self,
        keywords: &Keywords<'_>,
        at: &str,
        items: Option<&'a Shape<'a>>,
    ) -> Option<Shape<'a>> {
        let (first, _) = names(keywords);
        let min_len = count(keywords, Keyword::MinItems).unwrap_or(0);
        let max_len = count(keywords, Keyword::MaxItems);
        if !has_places(keywords) {
            let unique = keywords.is_true(Keyword::UniqueItems);
            let says = items.is_some() || unique || min_len > 0 || max_len.is_some();
            return says.then(|| {
                Shape::new(Kind::Array(Array {
                    items: items.unwrap_or(Shape::ANYTHING),
                    min_len,
                    max_len,
                    unique,
                }))
            });
        }
        let places = keywords.list(first).unwrap_or_default();
        let mut shapes = Vec::new();
        for (index, place) in places.iter().enumerate() {
            shapes.push(self.named(place, at, first, &index.to_string()));
        }
        let shapes: &'a [&'a Shape<'a>] = self.memory.list(&shapes);
        let is_closed = items.is_some_and(|items| matches!(items.kind, Kind::Rule(Rule::Never)));
        let len = shapes.len() as u64;
        let most = match (is_closed, max_len) {
            (true, Some(max)) => Some(max.min(len)),
            (true, None) => Some(len),
            (false, max) => max,
        };
        if min_len == len && most == Some(len) {
            return Some(Shape::new(Kind::Tuple(shapes)));
        }
        Some(Shape::new(Kind::Rule(Rule::PrefixItems(PrefixItems {
            first: shapes,
            // Maximum 0 already excludes elements.
            rest: items.filter(|_| !is_closed).unwrap_or(Shape::ANYTHING),
            min_len,
            max_len: most,
        }))))
    }
}
