//! Arrays and tuples.

use super::super::inverse::{Op, Step};
use super::super::report::{LowerError, NoteKind};
use super::super::rules::{Items, TupleForm};
use super::{Lowerer, SchemaPath};
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::keywords::{Keywords, text, union};
use toolwright_schema::read::{Ordered, Parts};

impl Lowerer<'_> {
    pub(super) fn array(&mut self, keywords: Keywords) -> Result<Ordered, LowerError> {
        if keywords.has(Keyword::PrefixItems) {
            return self.tuple(keywords);
        }
        let least = keywords.count(Keyword::MinItems).unwrap_or(0);
        if let Some(len) = self.rules.places(least, keywords.count(Keyword::MaxItems))
            && let Some(item @ Ordered::Object(_)) = keywords.keyword(Keyword::Items)
        {
            let items = vec![item.clone(); len];
            return self.numbered(keywords, items);
        }
        self.list(keywords)
    }

    /// An array of one type.
    pub(super) fn list(&mut self, mut keywords: Keywords) -> Result<Ordered, LowerError> {
        match keywords.schema_mut(Keyword::Items) {
            Some(items @ Ordered::Object(_)) => {
                *items = self.inner("*", std::mem::take(items), SchemaPath::INNER)?;
            }
            Some(_) => self.ask(self.rules.no_value())?,
            None => {
                if let Some(code) = self.rules.no_items() {
                    let mark = self.path.enter("*");
                    let each = self.text(&Ordered::empty(), SchemaPath::INNER, code);
                    self.path.leave(mark);
                    keywords.set(Keyword::Items, each);
                } else if self.rules.items == Items::Filled && !keywords.has(Keyword::PrefixItems) {
                    keywords.set(Keyword::Items, Ordered::empty());
                }
            }
        }
        Ok(self.finished(keywords))
    }

    fn tuple(&mut self, mut keywords: Keywords) -> Result<Ordered, LowerError> {
        let places = keywords.take_list(Keyword::PrefixItems);
        let is_one_type = places.windows(2).all(|pair| match pair {
            [a, b] => a == b,
            _ => true,
        });
        let form = self.rules.tuple(is_one_type);
        if form == TupleForm::Tuple {
            let places = self.parts('_', places)?;
            keywords.set(Keyword::PrefixItems, Ordered::Array(places));
            return self.list(keywords);
        }
        let len = u128::try_from(places.len()).unwrap_or(u128::MAX);
        let rest = keywords.take(Keyword::Items);
        let ends =
            rest == Some(Ordered::Bool(false)) || keywords.count(Keyword::MaxItems) == Some(len);
        let is_full = keywords.count(Keyword::MinItems) == Some(len);
        if len > 0 && ends && is_full {
            if form == TupleForm::List {
                keywords.set(Keyword::MaxItems, Ordered::from(len));
                if let Some(place) = places.into_iter().next() {
                    keywords.set(Keyword::Items, place);
                }
                return self.list(keywords);
            }
            return self.numbered(keywords, places);
        }
        // An array without a known length: its elements have any of the types.
        let as_text = Ordered::Array(places.clone());
        self.note(NoteKind::Dropped, Keyword::PrefixItems.as_str(), &as_text);
        let mut types: Vec<Ordered> = Vec::new();
        let others = if ends {
            None
        } else {
            Some(rest.unwrap_or_else(Ordered::empty))
        };
        for place in places.into_iter().chain(others) {
            if !types.contains(&place) {
                types.push(place);
            }
        }
        match <[Ordered; 1]>::try_from(types) {
            Ok([one]) => keywords.set(Keyword::Items, one),
            Err(types) if types.is_empty() => {}
            Err(types) => keywords.set(Keyword::Items, union(types).into_schema()),
        }
        self.list(keywords)
    }

    /// `{"_0": …, "_1": …}`.
    fn numbered(
        &mut self,
        mut keywords: Keywords,
        places: Vec<Ordered>,
    ) -> Result<Ordered, LowerError> {
        for keyword in [Keyword::Items, Keyword::MinItems, Keyword::MaxItems] {
            keywords.take(keyword);
        }
        self.steps.push(Step {
            op: Op::ObjectToTuple { len: places.len() },
            at: self.path.at(),
        });
        let names = (0..places.len()).map(|index| format!("_{index}"));
        let required = names.clone().map(text).collect();
        keywords.set(Keyword::Type, text("object"));
        keywords.set(Keyword::Properties, Ordered::object(names.zip(places)));
        keywords.set(Keyword::Required, Ordered::Array(required));
        self.form(&keywords, SchemaPath::INNER, false)?;
        self.object(&mut keywords, SchemaPath::INNER)?;
        Ok(self.finished(keywords))
    }
}
