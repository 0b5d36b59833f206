//! Names of tools, and other names for those that a provider refuses.

use std::collections::{BTreeMap, HashMap};

use super::Dialect;
use toolwright_schema::text::{FNV_OFFSET, ShortStr, fnv1a};

/// Rule for accepted names: ASCII letters and digits, and some other characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameRule {
    /// Accepted characters beside letters and digits.
    others: &'static str,
    /// Accepted first characters beside letters; `None` if all accepted characters may come first.
    first: Option<&'static str>,
    /// The most characters.
    most: usize,
}

impl NameRule {
    pub(super) const fn new(others: &'static str, most: usize) -> Self {
        Self {
            others,
            first: None,
            most,
        }
    }

    pub(super) const fn with_first(mut self, first: &'static str) -> Self {
        self.first = Some(first);
        self
    }

    fn takes(&self, char: char) -> bool {
        char.is_ascii_alphanumeric() || self.others.contains(char)
    }

    fn takes_first(&self, char: char) -> bool {
        match self.first {
            Some(first) => char.is_ascii_alphabetic() || first.contains(char),
            None => self.takes(char),
        }
    }

    pub(super) const fn accepts(&self, name: &str) -> bool {
        let bytes = name.as_bytes();
        if bytes.is_empty() || bytes.len() > self.most {
            return false;
        }
        let mut rest = bytes;
        let mut is_first = true;
        while let [byte, tail @ ..] = rest {
            let others = match self.first {
                Some(first) if is_first => first,
                _ => self.others,
            };
            let may_be_digit = !is_first || self.first.is_none();
            let is_fine = byte.is_ascii_alphabetic()
                || may_be_digit && byte.is_ascii_digit()
                || holds(others, *byte);
            if !is_fine {
                return false;
            }
            is_first = false;
            rest = tail;
        }
        true
    }

    /// The nearest name that is accepted, of up to `most` characters.
    fn nearest(&self, name: &str, most: usize) -> String {
        let fits = |char| if self.takes(char) { char } else { '_' };
        let mut near: String = name.chars().map(fits).collect();
        if !near
            .chars()
            .next()
            .is_some_and(|char| self.takes_first(char))
        {
            near.insert(0, '_');
        }
        near.truncate(most.min(self.most));
        near
    }
}

const fn holds(text: &str, byte: u8) -> bool {
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == byte {
            return true;
        }
        rest = tail;
    }
    false
}

/// Names that a dialect accepts for tools whose own names it may refuse, and the way back.
///
/// A name that is accepted stays. Another one has `_` where a character was refused; where two would meet, or a name
/// was cut, it ends in a short hash of the whole name. The result does not depend on the order of the list.
///
/// ```
/// use toolwright::{Dialect, dialect::Renames};
///
/// let renames = Renames::new(Dialect::OpenAiStrict, ["admin.list", "search"]);
/// assert_eq!(renames.to_provider("admin.list"), Some("admin_list"));
/// assert_eq!(renames.from_provider("admin_list"), Some("admin.list"));
/// assert_eq!(renames.to_provider("search"), Some("search"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Renames {
    to: BTreeMap<String, String>,
    from: HashMap<String, String>,
}

impl Renames {
    /// Names for these tools.
    pub fn new<'n>(dialect: Dialect, names: impl IntoIterator<Item = &'n str>) -> Self {
        Self::by(dialect.rules().tool_name, names)
    }

    pub(super) fn by<'n>(rule: NameRule, names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut renames = Self::default();
        let mut refused = Vec::new();
        for name in names {
            if rule.accepts(name) {
                renames.put(name, name.to_owned());
            } else {
                refused.push(name);
            }
        }
        refused.sort_unstable();
        refused.dedup();
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for name in &refused {
            *wanted.entry(rule.nearest(name, rule.most)).or_default() += 1;
        }
        // Those that need no hash come first, so that a hash never takes the name of one.
        let (plain, hashed): (Vec<&str>, Vec<&str>) = refused.into_iter().partition(|name| {
            let near = rule.nearest(name, rule.most);
            name.chars().count() <= rule.most
                && near.len() >= name.chars().count()
                && wanted.get(&near) == Some(&1)
                && !renames.from.contains_key(&near)
        });
        for name in plain {
            renames.put(name, rule.nearest(name, rule.most));
        }
        for name in hashed {
            let mut salt = 0;
            let free = loop {
                let hash = hash(name, salt);
                let stem = rule.nearest(name, rule.most.saturating_sub(9));
                let candidate = format!("{stem}_{hash:08x}");
                if !renames.from.contains_key(&candidate) {
                    break candidate;
                }
                salt += 1;
            };
            renames.put(name, free);
        }
        renames
    }

    fn put(&mut self, name: &str, provided: String) {
        self.from.insert(provided.clone(), name.to_owned());
        self.to.insert(name.to_owned(), provided);
    }

    /// Returns the name that the provider receives for a tool's; `None` for one that was not in the list.
    pub fn to_provider(&self, name: &str) -> Option<&str> {
        self.to.get(name).map(String::as_str)
    }

    /// The tool's name for a provider's name.
    pub fn from_provider(&self, name: &str) -> Option<&str> {
        self.from.get(name).map(String::as_str)
    }

    /// Replaces a provider's name by the tool's.
    pub(crate) fn restore(&self, name: &mut ShortStr) {
        if let Some(own) = self.from_provider(name)
            && *name != own
        {
            *name = own.into();
        }
    }

    /// The renamed tools, each with its provider's name, in alphabetical order.
    pub fn changed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.to
            .iter()
            .filter(|(name, provided)| name != provided)
            .map(|(name, provided)| (name.as_str(), provided.as_str()))
    }
}

/// FNV-1a, folded to 32 bits: eight characters of a name.
fn hash(name: &str, salt: u64) -> u32 {
    let hash = fnv1a(FNV_OFFSET ^ salt, name.as_bytes());
    u32::try_from((hash >> 32) ^ (hash & 0xffff_ffff)).unwrap_or_default()
}
