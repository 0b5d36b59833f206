//! The flags of a tool: one per parameter, and one per key of nested objects.

use std::borrow::Cow;

use toolwright_json::Value;
use toolwright_schema::read::Parts;
use toolwright_schema::text::is_portable_name;

use super::schema::ToolSchema;

/// Maximal number of flags of a tool, since a foreign schema may have any size. `--json` sets the rest.
const MAX_FLAGS: usize = 256;

/// Maximal depth of nested objects with flags.
const MAX_DEPTH: usize = 6;

/// Kind of values that a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagKind {
    /// One value.
    One,
    /// No value for `true`, or `=true` and `=false`.
    Switch,
    /// One element of a list per use.
    Many,
    /// One `key=value` per use.
    Entries,
}

/// Flag for the value at one path of the arguments.
#[derive(Debug, Clone)]
pub(super) struct Flag {
    /// Keys from the root to the value.
    pub(super) path: Vec<String>,
    /// Name without the dashes.
    pub(super) long: String,
    /// Keys as the schema spells them, if the name differs.
    pub(super) alias: Option<String>,
    pub(super) kind: FlagKind,
    pub(super) schema: Value<'static>,
    /// True if the flag has to be given; false for an object with required parts, which have flags of their own.
    pub(super) is_required: bool,
    /// Variants of a tagged type that have the value, in words.
    pub(super) condition: Option<String>,
    /// True if the path begins with an argument's old name. Help does not show such a flag.
    pub(super) is_old: bool,
}

/// Returns the flags of all parameters in the schema's order, then those of their old names. `renamed` has each old name
/// with the current one. No flag has a reserved name.
pub(super) fn flags(
    schema: &ToolSchema,
    renamed: &[(Cow<'_, str>, Cow<'_, str>)],
    reserved: &[&str],
) -> Vec<Flag> {
    let mut flags = Flags {
        schema,
        reserved,
        found: Vec::new(),
        refs: Vec::new(),
    };
    flags.keys(schema.root(), &[], true);
    for (old, name) in renamed.iter().filter(|(old, _)| is_portable_name(old)) {
        for mut flag in flags.found.clone() {
            if let Some(first) = flag.path.first_mut().filter(|first| *first == name) {
                *first = old.clone().into_owned();
                flag.is_old = true;
                flags.add(flag);
            }
        }
    }
    flags.found
}

struct Flags<'s> {
    schema: &'s ToolSchema,
    reserved: &'s [&'s str],
    found: Vec<Flag>,
    /// References on the way to the current key. A recursive type gets no flags inside itself.
    refs: Vec<String>,
}

impl Flags<'_> {
    fn keys(&mut self, schema: &Value<'static>, path: &[String], is_required: bool) {
        // Names of a foreign schema may be anything, and a shell or a parser of flags misreads some. `--json` has them.
        let mut keys = self.schema.keys(schema);
        keys.retain(|key| is_portable_name(&key.name));
        for key in keys {
            let condition = key.variants.map(|variants| {
                let tag = [path, &[variants.tag]].concat().join(".");
                let when = if variants.require {
                    "required if"
                } else {
                    "if"
                };
                format!("{when} {tag} is {}", variants.values.join(" or "))
            });
            let mut path = path.to_vec();
            path.push(key.name);
            self.flag(
                &key.schema,
                &path,
                is_required && key.is_required,
                condition,
            );
        }
    }

    fn flag(
        &mut self,
        schema: &Value<'static>,
        path: &[String],
        is_required: bool,
        condition: Option<String>,
    ) {
        if self.found.len() == MAX_FLAGS {
            return;
        }
        let kind = self.kind(schema);
        self.add(Flag {
            path: path.to_vec(),
            long: String::new(),
            alias: None,
            kind,
            schema: schema.clone(),
            is_required,
            condition,
            is_old: false,
        });
        if kind != FlagKind::One || path.len() == MAX_DEPTH {
            return;
        }
        let refs = references(schema);
        if refs.iter().any(|one| self.refs.contains(one)) {
            return;
        }
        let (before, inside) = (self.refs.len(), self.found.len());
        self.refs.extend(refs);
        self.keys(schema, path, is_required);
        self.refs.truncate(before);
        let inside = self.found.get(inside..).unwrap_or_default();
        // The whole or its parts are given, not both.
        if inside.iter().any(|part| part.is_required)
            && let Some(whole) = self.found.iter_mut().find(|flag| flag.path == path)
        {
            whole.is_required = false;
        }
    }

    /// Adds a flag by the name of its path, if it is free.
    fn add(&mut self, flag: Flag) {
        let is_new = self.found.iter().all(|known| known.path != flag.path);
        if let Some((long, alias)) = self.name(&flag.path)
            && self.found.len() < MAX_FLAGS
            && is_new
        {
            self.found.push(Flag {
                long,
                alias,
                ..flag
            });
        }
    }

    fn kind(&self, schema: &Value<'static>) -> FlagKind {
        let only =
            |kind| self.schema.admits(schema, kind) && !self.schema.admits_more_than(schema, kind);
        if only("boolean") {
            FlagKind::Switch
        } else if only("array") {
            FlagKind::Many
        } else if only("object") && self.schema.keys(schema).is_empty() {
            FlagKind::Entries
        } else {
            FlagKind::One
        }
    }

    /// Returns the name and the alias of a flag: `--dry-run` and `--dry_run` for `dry_run`. No name begins with a dash, so
    /// `_x` stays as it is. A reserved name becomes `--arg.name`.
    fn name(&self, path: &[String]) -> Option<(String, Option<String>)> {
        let dashed = path.iter().map(|key| {
            if key.starts_with('_') {
                key.clone()
            } else {
                key.replace('_', "-")
            }
        });
        let (dashed, exact) = (dashed.collect::<Vec<_>>().join("."), path.join("."));
        let is_free = |name: &str| {
            let is_ours = self.reserved.contains(&name);
            let known = |flag: &Flag| flag.long == name || flag.alias.as_deref() == Some(name);
            !is_ours && !self.found.iter().any(known)
        };
        let spellings = [dashed, exact.clone()];
        let mut free = spellings.into_iter().filter(|name| is_free(name));
        match (free.next(), free.next()) {
            (Some(long), Some(alias)) if alias != long => Some((long, Some(alias))),
            (Some(long), _) => Some((long, None)),
            (None, _) => Some(format!("arg.{exact}"))
                .filter(|long| is_free(long))
                .map(|long| (long, None)),
        }
    }
}

/// Returns the references of a schema and of its alternatives.
fn references(schema: &Value<'static>) -> Vec<String> {
    let all = std::iter::once(schema).chain(schema.combined());
    let references = all.filter_map(Parts::reference);
    references.map(str::to_owned).collect()
}
