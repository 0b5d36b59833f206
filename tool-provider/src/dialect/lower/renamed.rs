//! Arguments whose names a dialect refuses.

use super::super::inverse::{Op, Step};
use super::super::names::{NameRule, Renames};
use super::super::report::{LowerErrorCode, NoteKind};
use super::Lowerer;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::canonical::merge;
use toolwright_schema::read::keywords::{Keywords, text};
use toolwright_schema::read::{Ordered, Pair, Parts};
use toolwright_schema::shape::pattern_matches;
use toolwright_schema::text::escaped;

/// Names that every dialect accepts. All dialects that rename an argument give it the same name.
const PORTABLE: NameRule = NameRule::new("_", 64).with_first("_");

impl Lowerer<'_> {
    /// Gives other names to the arguments whose names the dialect refuses.
    pub(super) fn rename_arguments(&mut self, root: &mut Ordered) {
        let declared = root.declared().unwrap_or_default();
        let names = || declared.iter().map(|(name, _)| name.as_ref());
        if names().all(|name| self.rules.argument(name).is_none()) {
            return;
        }
        let renames = Renames::by(PORTABLE, names());
        let is_refused = |(name, _): &(&str, &str)| self.rules.argument(name).is_some();
        let changed: Vec<_> = renames.changed().filter(is_refused).collect();
        for (name, sent) in &changed {
            let mark = self.path.enter(&escaped(name));
            self.note(
                NoteKind::Renamed,
                LowerErrorCode::PropertyName.as_str(),
                &text((*sent).to_owned()),
            );
            self.path.leave(mark);
            self.steps.push(Step {
                op: Op::KeyIsRenamed {
                    to: (*name).to_owned(),
                },
                at: format!("/{}", escaped(sent)),
            });
        }
        self.rename(root, &changed);
        let declared = entries_mut(root)
            .iter_mut()
            .find(|(key, _)| key == Keyword::Properties.as_str());
        let declared = declared.map_or(&mut [][..], |(_, declared)| entries_mut(declared));
        for (name, sent) in &changed {
            let found = declared.iter_mut().find(|(key, _)| key == sent);
            if let Some((_, Ordered::Object(schema))) = found {
                let mut keywords = Keywords(std::mem::take(schema));
                keywords.append_to_description(&format!("named `{name}`"));
                *schema = keywords.0;
            }
        }
    }

    /// Renames keys in a schema, and in those inside it that are for the same value.
    fn rename(&mut self, schema: &mut Ordered, renamed: &[(&str, &str)]) {
        let Ordered::Object(entries) = schema else {
            return;
        };
        let mut keywords = Keywords(std::mem::take(entries));
        self.rename_by_pattern(&mut keywords, renamed);
        for (key, value) in &mut keywords.0 {
            match (Keyword::of(key), value) {
                (Some(Keyword::Properties), declared) => rename_keys(declared, renamed),
                (Some(Keyword::Required), names) => rename_names(names, renamed),
                (Some(Keyword::Default), object) => rename_keys(object, renamed),
                (Some(Keyword::Enum), Ordered::Array(objects)) => {
                    for object in objects {
                        rename_keys(object, renamed);
                    }
                }
                (Some(Keyword::DependentRequired), dependent) => {
                    rename_keys(dependent, renamed);
                    for (_, names) in entries_mut(dependent) {
                        rename_names(names, renamed);
                    }
                }
                (Some(Keyword::DependentSchemas), dependent) => {
                    rename_keys(dependent, renamed);
                    for (_, schema) in entries_mut(dependent) {
                        self.rename(schema, renamed);
                    }
                }
                (Some(keyword), value) if keyword.is_for_the_same_value() => match value {
                    Ordered::Array(members) => {
                        for schema in members {
                            self.rename(schema, renamed);
                        }
                    }
                    schema => self.rename(schema, renamed),
                },
                _ => {}
            }
        }
        *schema = Ordered::Object(keywords.0);
    }

    /// Applies rules for keys by pattern to the original keys: a pattern's rules for a key's value are moved to the
    /// key. Rules that would apply to the new name alone become text.
    fn rename_by_pattern(&mut self, keywords: &mut Keywords, renamed: &[(&str, &str)]) {
        let mut told = Vec::new();
        let patterns = keywords.named(Keyword::PatternProperties);
        let patterns = patterns.unwrap_or_default().to_vec();
        let mut none = Ordered::empty();
        let declared = keywords.schema_mut(Keyword::Properties);
        let declared = entries_mut(declared.unwrap_or(&mut none));
        for (pattern, values) in &patterns {
            for (name, sent) in renamed {
                let declared = declared.iter_mut().find(|(key, _)| key == name);
                match (
                    pattern_matches(pattern, name),
                    pattern_matches(pattern, sent),
                    declared,
                ) {
                    (Some(own), Some(new), _) if own == new => {}
                    (Some(true), Some(false), Some((_, Ordered::Object(schema)))) => {
                        let mut both = Keywords(std::mem::take(schema));
                        merge(&mut both, values.clone());
                        *schema = both.0;
                    }
                    _ => told = vec![Keyword::PatternProperties],
                }
            }
        }
        let opens = !told.is_empty();
        if let Some(names) = keywords.schema_mut(Keyword::PropertyNames) {
            let takes = |pattern: &str| {
                let mut names = renamed.iter();
                names.all(|(_, sent)| pattern_matches(pattern, sent) == Some(true))
            };
            let is_exact =
                entries_mut(names)
                    .iter_mut()
                    .all(|(key, value)| match (Keyword::of(key), value) {
                        (Some(Keyword::Enum), names) => {
                            rename_names(names, renamed);
                            true
                        }
                        (Some(Keyword::Type | Keyword::Description), _) => true,
                        (Some(Keyword::Pattern), Ordered::String(pattern)) => takes(pattern),
                        _ => false,
                    });
            told.extend((!is_exact).then_some(Keyword::PropertyNames));
        }
        // Without the patterns, a rule for all other keys would hold for theirs.
        let others = Keyword::AdditionalProperties;
        if opens && keywords.has(others) {
            told.push(others);
        }
        self.in_words(keywords, &told);
        if opens {
            keywords.set(others, Ordered::Bool(true));
        }
    }
}

fn rename_names(names: &mut Ordered, renamed: &[(&str, &str)]) {
    if let Ordered::Array(names) = names {
        for name in names {
            let found = renamed.iter().find(|(own, _)| name.as_str() == Some(own));
            if let Some((_, sent)) = found {
                *name = text((*sent).to_owned());
            }
        }
    }
}

fn rename_keys(object: &mut Ordered, renamed: &[(&str, &str)]) {
    for (key, _) in entries_mut(object) {
        if let Some((_, sent)) = renamed.iter().find(|(own, _)| key == own) {
            *key = (*sent).to_owned().into();
        }
    }
}

fn entries_mut(value: &mut Ordered) -> &mut [Pair] {
    match value {
        Ordered::Object(entries) => entries,
        _ => &mut [],
    }
}
