//! A parsed document, and the documents that it refers to.

use std::borrow::Cow;
use std::collections::HashMap;

use toolwright::json::Value;

use crate::notice::ImportError;
use crate::text::unescape;

/// Longest chain of references, and deepest nesting of a schema.
pub(crate) const MAX_DEPTH: usize = 64;
/// Most bytes of a key or a reference. What has a longer one is left out, since pointers hold the keys above them.
pub(crate) const MOST_KEY: usize = 1 << 10;
/// Most bytes of a pointer.
pub(crate) const MOST_POINTER: usize = 4 << 10;
/// Default limit of a document's bytes.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// One document.
#[derive(Debug)]
pub(crate) struct Document<'t> {
    /// Empty for the document that was parsed first.
    pub(crate) uri: String,
    pub(crate) root: Value<'t>,
    /// Places of the entries of `components`, by section and name.
    index: HashMap<String, HashMap<String, usize>>,
}

/// A value, with the document and the pointer that it stands at.
#[derive(Debug, Clone)]
pub(crate) struct At<'a, 't> {
    pub(crate) value: &'a Value<'t>,
    pub(crate) document: usize,
    pub(crate) pointer: String,
}

/// The documents of one API. The first is the one that was parsed.
#[derive(Debug)]
pub(crate) struct Documents<'t> {
    pub(crate) all: Vec<Document<'t>>,
    /// `OpenAPI` 3.0, whose schemas are not JSON Schema.
    pub(crate) is_30: bool,
}

impl<'t> Document<'t> {
    pub(crate) fn new(uri: impl Into<String>, root: Value<'t>) -> Self {
        let mut index: HashMap<String, HashMap<String, usize>> = HashMap::new();
        for (section, entries) in root.get("components").map_or(&[][..], Value::entries) {
            let names = index.entry(section.to_string()).or_default();
            for (place, (name, _)) in entries.entries().iter().enumerate() {
                names.entry(name.to_string()).or_insert(place);
            }
        }
        Self {
            uri: uri.into(),
            root,
            index,
        }
    }

    /// Returns the value at a JSON pointer.
    fn at(&self, pointer: &str) -> Option<&Value<'t>> {
        let Some(rest) = pointer.strip_prefix("/components/") else {
            return self.root.pointer(pointer);
        };
        let mut steps = rest.splitn(3, '/');
        let (section, name) = (steps.next()?, steps.next());
        let section_value = self.root.get("components")?.get(section)?;
        let Some(name) = name else {
            return Some(section_value);
        };
        let name = if name.contains('~') {
            Cow::Owned(name.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(name)
        };
        let place = *self.index.get(section)?.get(&*name)?;
        let (_, value) = section_value.entries().get(place)?;
        match steps.next() {
            Some(rest) => value.pointer(&format!("/{rest}")),
            None => Some(value),
        }
    }
}

/// Escapes a step of a JSON pointer.
pub(crate) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl<'t> Documents<'t> {
    /// Checks the version of a document.
    pub(crate) fn new(root: Value<'t>) -> Result<Self, ImportError> {
        let version = root.get("openapi").and_then(Value::as_str);
        let is_30 = match version {
            Some(text) if text.starts_with("3.0") => true,
            Some(text) if text.starts_with("3.1") || text.starts_with("3.2") => false,
            Some(other) => {
                let words = format!("OpenAPI {other:?} is not supported; 3.0, 3.1 and 3.2 are");
                return Err(ImportError::Version(words));
            }
            None if root.get("swagger").is_some() => {
                let words = "this is a Swagger 2.0 document; convert it to OpenAPI 3 first, with `npx swagger2openapi` or \
                    at https://converter.swagger.io";
                return Err(ImportError::Version(words.to_owned()));
            }
            None => {
                let words = "this is not an OpenAPI document: it has no `openapi` with a version";
                return Err(ImportError::Version(words.to_owned()));
            }
        };
        Ok(Self {
            all: vec![Document::new("", root)],
            is_30,
        })
    }

    pub(crate) fn root(&self) -> Option<At<'_, 't>> {
        let value = &self.all.first()?.root;
        Some(At {
            value,
            document: 0,
            pointer: String::new(),
        })
    }

    /// Returns the target of a reference in a document.
    ///
    /// # Errors
    /// Fails with the reason if there is none.
    pub(crate) fn target(&self, document: usize, reference: &str) -> Result<At<'_, 't>, String> {
        if reference.len() > MOST_KEY {
            return Err(format!("its `$ref` has more than {MOST_KEY} bytes"));
        }
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let document = if uri.is_empty() {
            document
        } else {
            self.other(document, uri)?
        };
        let pointer = if fragment.contains('%') {
            unescape(fragment)
        } else {
            fragment.to_owned()
        };
        let found = self.at(document, pointer);
        found.ok_or_else(|| format!("`{reference}` leads nowhere"))
    }

    /// Returns the value at a JSON pointer of a document.
    pub(crate) fn at(&self, document: usize, pointer: String) -> Option<At<'_, 't>> {
        let value = self.all.get(document)?.at(&pointer)?;
        Some(At {
            value,
            document,
            pointer,
        })
    }

    fn other(&self, document: usize, uri: &str) -> Result<usize, String> {
        let base = self.all.get(document).map_or("", |document| &*document.uri);
        let joined = url::Url::parse(base)
            .and_then(|base| base.join(uri))
            .map(String::from);
        let mut all = self.all.iter();
        let found = all.position(|other| {
            other.uri == uri || joined.as_ref().is_ok_and(|uri| *uri == other.uri)
        });
        found.ok_or_else(|| format!("the document `{uri}` was not added, and nothing is fetched"))
    }

    /// Follows references to a value that is not one.
    ///
    /// # Errors
    /// Fails with the reason if they lead nowhere or in a circle.
    pub(crate) fn follow<'a>(&'a self, mut at: At<'a, 't>) -> Result<At<'a, 't>, String> {
        for _ in 0..MAX_DEPTH {
            match at.value.get("$ref") {
                Some(Value::String(reference)) => at = self.target(at.document, reference)?,
                Some(_) => return Err("its `$ref` is not a string".to_owned()),
                None => return Ok(at),
            }
        }
        Err("its references lead in a circle".to_owned())
    }

    /// Returns a pointer with the URI of its document.
    pub(crate) fn place(&self, document: usize, pointer: &str) -> String {
        match self.all.get(document) {
            Some(other) if !other.uri.is_empty() => format!("{}#{pointer}", other.uri),
            _ => pointer.to_owned(),
        }
    }
}

impl<'a, 't> At<'a, 't> {
    /// Returns the value under a key.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?;
        Some(self.child(key, value))
    }

    pub(crate) fn child(&self, key: &str, value: &'a Value<'t>) -> Self {
        let mut pointer = String::with_capacity(self.pointer.len() + key.len() + 1);
        pointer.push_str(&self.pointer);
        pointer.push('/');
        if key.contains(['~', '/']) {
            pointer.push_str(&step(key));
        } else {
            pointer.push_str(key);
        }
        Self {
            value,
            document: self.document,
            pointer,
        }
    }

    /// Returns the values under all keys but those that are too long.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a str, Self)> + use<'_, 'a, 't> {
        let most = MOST_KEY.min(MOST_POINTER.saturating_sub(self.pointer.len()));
        self.value
            .entries()
            .iter()
            .filter(move |(key, _)| key.len() <= most)
            .map(|(key, value)| (&**key, self.child(key, value)))
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = Self> + use<'_, 'a, 't> {
        let items = self.value.items().iter().enumerate();
        items.map(|(index, value)| self.child(&index.to_string(), value))
    }

    /// Returns the string under a key.
    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.value.get(key)?.as_str()
    }

    /// Returns true if the value under a key is `true`.
    pub(crate) fn is(&self, key: &str) -> bool {
        matches!(self.value.get(key), Some(Value::Bool(true)))
    }
}
