//! Arguments whose names a dialect refuses.

use super::super::inverse::{Op, Step};
use super::super::names::{NameRule, Renames};
use super::super::report::{LowerErrorCode, NoteKind};
use super::Lowerer;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::keywords::{Keywords, text};
use toolwright_schema::read::{Ordered, Pair, Parts};
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
        rename(root, &changed);
        if let Ordered::Object(entries) = root
            && let Some((_, Ordered::Object(declared))) = entries
                .iter_mut()
                .find(|(key, _)| key == Keyword::Properties.as_str())
        {
            for (name, sent) in &changed {
                let found = declared.iter_mut().find(|(key, _)| key == sent);
                if let Some((_, Ordered::Object(schema))) = found {
                    let mut keywords = Keywords(std::mem::take(schema));
                    keywords.tell(&format!("named `{name}`"));
                    *schema = keywords.0;
                }
            }
        }
    }
}

/// Renames keys in a schema, and in those inside it that are for the same value.
fn rename(schema: &mut Ordered, renamed: &[(&str, &str)]) {
    let Ordered::Object(entries) = schema else {
        return;
    };
    let new = |name: &str| {
        renamed
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, sent)| (*sent).to_owned())
    };
    let rename_keys = |entries: &mut Vec<Pair>| {
        for (key, _) in entries {
            if let Some(sent) = new(key) {
                *key = sent.into();
            }
        }
    };
    let rename_names = |names: &mut Ordered| {
        if let Ordered::Array(names) = names {
            for name in names {
                if let Some(sent) = name.as_str().and_then(new) {
                    *name = text(sent);
                }
            }
        }
    };
    for (key, value) in entries {
        let Some(keyword) = Keyword::of(key) else {
            continue;
        };
        match (keyword, value) {
            (Keyword::Properties, Ordered::Object(declared)) => rename_keys(declared),
            (Keyword::Required, names) => rename_names(names),
            (Keyword::DependentRequired, Ordered::Object(dependent)) => {
                rename_keys(dependent);
                for (_, names) in dependent {
                    rename_names(names);
                }
            }
            (Keyword::DependentSchemas, Ordered::Object(dependent)) => {
                rename_keys(dependent);
                for (_, schema) in dependent {
                    rename(schema, renamed);
                }
            }
            (keyword, Ordered::Array(members)) if keyword.is_for_the_same_value() => {
                for schema in members {
                    rename(schema, renamed);
                }
            }
            (keyword, schema) if keyword.is_for_the_same_value() => rename(schema, renamed),
            _ => {}
        }
    }
}
