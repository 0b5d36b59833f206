//! Base schemas of `OpenAPI`: a discriminator without a union means the union of the schema's subtypes.

use super::canonical::admit_null;
use super::keywords::{Keywords, text};
use super::refs::definition_name;
use super::{Ordered, Pair, Parts};
use crate::keyword::Keyword;
use crate::text::{escaped, percent_decoded, unescaped};

/// Subtypes of one base, at most. A union of more steers no model, and the base alone admits them all.
const MOST_SUBTYPES: usize = 32;

/// A base schema, which means the union of its subtypes.
struct BaseSchema {
    name: String,
    /// The name of the definition with its properties.
    own_name: String,
    tag: String,
    /// The names of the subtypes, each with the value of the tag.
    subtypes: Vec<(String, Ordered)>,
}

/// Returns a document in which each base is the union of its subtypes, the tag first and constant; `None` if it has no base.
///
/// A base that is closed, has a union already, or whose tag does not admit the names of the subtypes stays as it is. The
/// discriminator is `OpenAPI`'s (3.0 and 3.1, "Discriminator Object"): the tag is the name of the definition, unless `mapping`, or
/// the subtype's own constant, says another.
pub fn with_subtypes(root: &Ordered) -> Option<Ordered> {
    let mut out = None;
    for keyword in [Keyword::Defs, Keyword::Definitions] {
        let defs = root.named(keyword).unwrap_or_default();
        let mut bases: Vec<BaseSchema> = Vec::new();
        for (name, body) in defs {
            let is_taken = |name: &str| {
                defs.iter().any(|(known, _)| known == name)
                    || bases.iter().any(|base| base.own_name == name)
            };
            let own_name = definition_name(&format!("{name}Base"), is_taken);
            bases.extend(BaseSchema::of(keyword, defs, name, body, own_name));
        }
        if bases.is_empty() {
            continue;
        }
        let Ordered::Object(entries) = out.get_or_insert_with(|| root.clone()) else {
            continue;
        };
        let mut entries = entries.iter_mut();
        if let Some((_, Ordered::Object(defs))) = entries.find(|(key, _)| key == keyword.as_str()) {
            for base in &bases {
                base.lead_to_own(keyword, defs);
            }
            for base in &bases {
                base.unite(keyword, defs, &bases);
            }
        }
    }
    out
}

impl BaseSchema {
    fn of(
        keyword: Keyword,
        defs: &[Pair],
        name: &str,
        body: &Ordered,
        own_name: String,
    ) -> Option<Self> {
        let discriminator = body.keyword(Keyword::Discriminator)?;
        let tag = discriminator.get("propertyName")?.as_str()?;
        let has_union = body.has_any(&[Keyword::AnyOf, Keyword::OneOf, Keyword::Ref]);
        if has_union || body.is_closed() || body.is_false(Keyword::UnevaluatedProperties) {
            return None;
        }
        let mapping = discriminator
            .get("mapping")
            .map_or(&[][..], Ordered::entries);
        let mapped = |name: &str| {
            let leads_here = |target: &str| last_part(target).as_deref() == Some(name);
            let mut mapping = mapping.iter();
            let found = mapping.find(|(_, target)| target.as_str().is_some_and(leads_here));
            found.map(|(value, _)| text(value.clone()))
        };
        // Those of subtypes are subtypes too.
        let mut names = vec![name];
        while let Some((found, _)) = defs.iter().find(|(one, body)| {
            let is_made_of = |part: &Ordered| {
                let base = part.reference().and_then(|target| name_of(keyword, target));
                base.is_some_and(|base| names.contains(&&*base))
            };
            let parts = body.list(Keyword::AllOf).unwrap_or_default();
            !names.contains(&&**one) && (parts.iter().any(is_made_of) || mapped(one).is_some())
        }) {
            names.push(found);
            if names.len() > MOST_SUBTYPES + 1 {
                return None;
            }
        }
        if mapped(name).is_none() {
            names.remove(0);
        }
        // In the document's order.
        let subtypes = defs.iter().filter(|(one, _)| names.contains(&&**one));
        let subtypes = subtypes.map(|(one, body)| {
            let value = constant(body, tag).or_else(|| mapped(one));
            (one.to_string(), value.unwrap_or_else(|| text(one.clone())))
        });
        let subtypes: Vec<_> = subtypes.collect();
        let known = body.member(tag).and_then(Parts::literals);
        let is_known =
            |(_, value): &(String, Ordered)| known.is_none_or(|known| known.contains(value));
        let fits = (1..=MOST_SUBTYPES).contains(&subtypes.len()) && subtypes.iter().all(is_known);
        fits.then(|| Self {
            name: name.to_owned(),
            own_name,
            tag: tag.to_owned(),
            subtypes,
        })
    }

    /// Lets the subtypes refer to the base's own keys.
    fn lead_to_own(&self, keyword: Keyword, defs: &mut [Pair]) {
        let is_subtype = |name: &str| self.subtypes.iter().any(|(known, _)| known == name);
        for (_, body) in defs.iter_mut().filter(|(name, _)| is_subtype(name)) {
            let Ordered::Object(entries) = body else {
                continue;
            };
            let parts = entries.iter_mut();
            let parts = parts.filter(|(key, _)| key == Keyword::AllOf.as_str());
            for part in parts.flat_map(|(_, parts)| match parts {
                Ordered::Array(parts) => parts.as_mut_slice(),
                _ => &mut [],
            }) {
                let target = part.reference().and_then(|target| name_of(keyword, target));
                if target.as_deref() == Some(&self.name)
                    && let Ordered::Object(entries) = part
                {
                    let mut keywords = Keywords(std::mem::take(entries));
                    keywords.set(Keyword::Ref, pointer(keyword, &self.own_name));
                    *entries = keywords.0;
                }
            }
        }
    }

    /// Puts the union in the place of the base, whose own keys get another name.
    fn unite(&self, keyword: Keyword, defs: &mut Vec<Pair>, bases: &[Self]) {
        let Some((_, body)) = defs.iter_mut().find(|(name, _)| *name == self.name) else {
            return;
        };
        let Ordered::Object(entries) = body else {
            return;
        };
        let mut own = Keywords(std::mem::take(entries));
        let mut out = Keywords::default();
        for said in [Keyword::Discriminator, Keyword::Description] {
            if let Some(value) = own.take(said) {
                out.set(said, value);
            }
        }
        let is_nullable = own.is_true(Keyword::Nullable);
        let members = self.subtypes.iter().map(|(name, value)| {
            // A subtype may be a base itself.
            let base = bases.iter().find(|base| base.name == *name);
            let name = base.map_or(name, |base| &base.own_name);
            let tag = Keywords::of([(Keyword::Const, value.clone())]);
            Keywords::of([
                (Keyword::Ref, pointer(keyword, name)),
                (
                    Keyword::Properties,
                    Ordered::Object(vec![(self.tag.clone().into(), tag.into_schema())]),
                ),
                (
                    Keyword::Required,
                    Ordered::Array(vec![text(self.tag.clone())]),
                ),
            ])
            .into_schema()
        });
        out.set(Keyword::AnyOf, Ordered::Array(members.collect()));
        if is_nullable {
            admit_null(&mut out);
        }
        *body = out.into_schema();
        defs.push((self.own_name.clone().into(), Ordered::Object(own.0)));
    }
}

/// The one value that a subtype's own keys give a tag.
fn constant(body: &Ordered, tag: &str) -> Option<Ordered> {
    let parts = body.list(Keyword::AllOf).unwrap_or_default().iter();
    let mut tags = std::iter::once(body)
        .chain(parts)
        .filter_map(|part| part.member(tag));
    tags.find_map(|tag| {
        let constant = tag.keyword(Keyword::Const);
        constant.or_else(|| tag.only_literal()).cloned()
    })
}

fn pointer(keyword: Keyword, name: &str) -> Ordered {
    text(format!("#/{}/{}", keyword.as_str(), escaped(name)))
}

/// The name of the definition that a reference points to.
fn name_of(keyword: Keyword, target: &str) -> Option<String> {
    let rest = target.strip_prefix("#/")?.strip_prefix(keyword.as_str())?;
    let name = rest.strip_prefix('/').filter(|name| !name.contains('/'))?;
    last_part(name)
}

/// The last part of a pointer, or a name, as `mapping` has them.
fn last_part(target: &str) -> Option<String> {
    let last = target.rsplit('/').next()?;
    let last = percent_decoded(last).unwrap_or_else(|| last.to_owned());
    Some(unescaped(&last))
}
