//! The flags of a tool: one for each of its parameters, and for what stands inside of them.

use toolwright_json::Value;
use toolwright_runtime::__private::Parts;

use super::schema::Schema;

/// A tool has no more flags: a schema that came from elsewhere may be of any size. What has no flag
/// is given by `--json`.
const MOST: usize = 256;

/// How deep flags go into nested objects.
const DEEPEST: usize = 6;

/// What a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// One value.
    One,
    /// Nothing, for `true`, or `=true` and `=false`.
    Switch,
    /// One element of a list each time.
    Many,
    /// One `key=value` each time.
    Entries,
}

/// A flag for the value at one place of the arguments.
#[derive(Debug, Clone)]
pub(super) struct Flag {
    /// The keys that lead there.
    pub(super) path: Vec<String>,
    /// Its name, without the dashes.
    pub(super) long: String,
    /// The keys as the schema spells them, where the name does not.
    pub(super) alias: Option<String>,
    pub(super) takes: Takes,
    pub(super) schema: Value<'static>,
    pub(super) is_required: bool,
}

/// The flags of all parameters, in the schema's order. `taken` are names that mean something else.
pub(super) fn flags(schema: &Schema, taken: &[&str]) -> Vec<Flag> {
    let mut flags = Flags {
        schema,
        taken,
        found: Vec::new(),
        refs: Vec::new(),
    };
    flags.keys(schema.root(), &[], true);
    flags.found
}

struct Flags<'s> {
    schema: &'s Schema,
    taken: &'s [&'s str],
    found: Vec<Flag>,
    /// The references that lead to where we are: a type inside itself gets no flags of its own.
    refs: Vec<String>,
}

impl Flags<'_> {
    fn keys(&mut self, schema: &Value<'static>, path: &[String], is_required: bool) {
        for (name, schema, is_key_required) in self.schema.keys(schema) {
            let mut path = path.to_vec();
            path.push(name);
            self.flag(&schema, &path, is_required && is_key_required);
        }
    }

    fn flag(&mut self, schema: &Value<'static>, path: &[String], is_required: bool) {
        if self.found.len() == MOST {
            return;
        }
        let takes = self.takes(schema);
        if let Some((long, alias)) = self.name(path) {
            self.found.push(Flag {
                path: path.to_vec(),
                long,
                alias,
                takes,
                schema: schema.clone(),
                is_required,
            });
        }
        if takes != Takes::One || path.len() == DEEPEST {
            return;
        }
        let refs = references(schema);
        if refs.iter().any(|one| self.refs.contains(one)) {
            return;
        }
        let before = self.refs.len();
        self.refs.extend(refs);
        self.keys(schema, path, is_required);
        self.refs.truncate(before);
    }

    fn takes(&self, schema: &Value<'static>) -> Takes {
        let only =
            |kind| self.schema.admits(schema, kind) && !self.schema.admits_more_than(schema, kind);
        if only("boolean") {
            Takes::Switch
        } else if only("array") {
            Takes::Many
        } else if only("object") && self.schema.keys(schema).is_empty() {
            Takes::Entries
        } else {
            Takes::One
        }
    }

    /// `dry_run` is `--dry-run`, and `--dry_run`, too. A name that is taken, or that a shell or a
    /// parser of flags would misread, is `--arg.name`, or has no flag.
    fn name(&self, path: &[String]) -> Option<(String, Option<String>)> {
        let is_plain = |key: &String| {
            let plain = |char: char| char.is_alphanumeric() || "_-.:$@/+".contains(char);
            !key.is_empty() && !key.starts_with('-') && key.chars().all(plain)
        };
        if !path.iter().all(is_plain) {
            return None;
        }
        let exact = path.join(".");
        let spellings = [exact.replace('_', "-"), exact.clone()];
        let is_free = |name: &str| {
            let is_ours = self.taken.contains(&name);
            let known = |flag: &Flag| flag.long == name || flag.alias.as_deref() == Some(name);
            !is_ours && !self.found.iter().any(known)
        };
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

/// The references of a schema and of its ways.
fn references(schema: &Value<'static>) -> Vec<String> {
    let all = std::iter::once(schema).chain(schema.combined());
    let references = all.filter_map(Parts::reference);
    references.map(str::to_owned).collect()
}
