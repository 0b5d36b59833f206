//! A JSON value that grows.

use serde_json::value::RawValue;
use toolwright_json::{quoted, write_list, write_object};

use super::super::read::{Members, elements, text};
use super::DeltaSink;

/// Maximum depth at which pieces are joined. Below that the later one replaces the earlier; no provider's
/// pieces go deeper than half of it.
const DEPTH: u8 = 8;

/// The length of `\ud83e`, the first half of a character that JSON escapes in two.
const HALF_A_PAIR: usize = 6;

/// A JSON value, taken apart as far as pieces were joined to it.
#[derive(Debug, Clone)]
pub(in super::super) enum Tree {
    /// JSON text, as it came.
    Raw(String),
    /// A string.
    Text(Text),
    Object(Vec<(String, Tree)>),
    List(Vec<Tree>),
}

/// A string that grows: what stands between the quotes of its JSON. It is not unescaped, since an
/// escape in two halves (`\ud83e`, `\udd80`) may come in two pieces.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Text {
    escaped: String,
    told: usize,
    /// Length of the piece that every piece so far was; 0 once they differ.
    word: usize,
}

impl Text {
    /// Appends a piece, which is a JSON string; anything else is not appended.
    pub(in super::super) fn push(&mut self, piece: &RawValue) {
        let body = piece.get().strip_prefix('"');
        let body = body.and_then(|body| body.strip_suffix('"'));
        let body = body.unwrap_or_default();
        if self.escaped.is_empty() {
            self.word = body.len();
        } else if !body.is_empty() && (self.word != body.len() || !self.escaped.starts_with(body)) {
            self.word = 0;
        }
        self.escaped.push_str(body);
    }

    /// Leaves one of the pieces if all were equal. Text that was sent piece by piece stays.
    fn once(&mut self) {
        if self.told == 0 && self.word > 0 {
            self.escaped.truncate(self.word);
        }
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.escaped.is_empty()
    }

    pub(in super::super) fn json(&self) -> String {
        format!("\"{}\"", self.escaped)
    }

    /// Returns the unescaped string.
    pub(in super::super) fn text(&self) -> Option<String> {
        Some(text(&self.json())?.into_owned())
    }

    /// Takes over the sent length of `earlier`, if this begins with it.
    pub(in super::super) fn go_on_from(&mut self, earlier: &Self) -> bool {
        let goes_on = self.escaped.starts_with(&earlier.escaped);
        if goes_on {
            self.told = earlier.told;
        }
        goes_on
    }

    /// Returns what was added since the last time, but for the first half of a pair at its end.
    pub(in super::super) fn news(&mut self) -> Option<String> {
        let rest = self.escaped.get(self.told..)?;
        let read = |escaped: &str| Some(text(&format!("\"{escaped}\""))?.into_owned());
        let (news, told) = match without_first_half(rest).map(|start| (read(start), start.len())) {
            Some((Some(news), told)) => (Some(news), told),
            // What ends in `\\ud83e` has no half there, but a backslash: without these six it is not a string.
            Some((None, _)) | None => (read(rest), rest.len()),
        };
        self.told += told;
        news.filter(|news| !news.is_empty())
    }
}

/// An empty object.
impl Default for Tree {
    fn default() -> Self {
        Self::Object(Vec::new())
    }
}

impl Tree {
    pub(in super::super) fn null() -> Self {
        Self::Raw("null".into())
    }

    pub(in super::super) fn of(value: &RawValue) -> Self {
        let mut tree = Self::null();
        tree.join(value);
        tree
    }

    pub(in super::super) fn string(text: &str) -> Self {
        Self::Raw(quoted(text))
    }

    /// Joins a piece: strings are appended, objects joined key by key, lists appended or, where
    /// their elements have an `index`, joined by it. A string beside a list is a part of the type `text`. Of all else the
    /// last one holds, and `null` says nothing.
    pub(in super::super) fn join(&mut self, piece: &RawValue) {
        self.join_at(piece, DEPTH);
    }

    fn join_at(&mut self, piece: &RawValue, depth: u8) {
        let json = piece.get();
        let Some(below) = depth.checked_sub(1) else {
            *self = Self::Raw(json.to_owned());
            return;
        };
        match json.as_bytes().first() {
            Some(b'n') => {}
            Some(b'"') => {
                if let Self::Text(text) = self {
                    text.push(piece);
                } else if self.open_list() {
                    self.join_words(piece, below);
                } else {
                    let mut text = Text::default();
                    text.push(piece);
                    *self = Self::Text(text);
                }
            }
            Some(b'{') if self.open_object() => {
                for (key, value) in Members::of(Some(piece)).iter() {
                    if is_said_anew(key) {
                        self.set(key, value);
                    } else {
                        self.entry(key).join_at(value, below);
                    }
                }
            }
            Some(b'[') if self.open_list() => self.join_list(piece, below),
            Some(b'[') if matches!(self, Self::Text(_)) => {
                if let Self::Text(text) = std::mem::replace(self, Self::List(Vec::new()))
                    && !text.is_empty()
                {
                    self.push(Self::part(text));
                }
                self.join_list(piece, below);
            }
            _ => *self = Self::Raw(json.to_owned()),
        }
    }

    /// Words as a part of a list.
    fn part(text: Text) -> Self {
        let kind = ("type".to_owned(), Self::string("text"));
        Self::Object(vec![kind, ("text".to_owned(), Self::Text(text))])
    }

    /// Joins words to a list of parts.
    fn join_words(&mut self, piece: &RawValue, depth: u8) {
        let Self::List(parts) = self else {
            return;
        };
        match parts.last_mut() {
            Some(last) if last.growing() == Some("text") => {
                last.entry("text").join_at(piece, depth);
            }
            _ => {
                let mut text = Text::default();
                text.push(piece);
                if !text.is_empty() {
                    parts.push(Self::part(text));
                }
            }
        }
    }

    /// The key under which the next part of this type goes on: of parts that hold words or thoughts and nothing else.
    fn growing(&self) -> Option<&'static str> {
        let Self::Object(entries) = self else {
            return None;
        };
        let kind = self.get("type")?.plain();
        let key = ["text", "thinking"].into_iter().find(|key| *key == kind)?;
        (entries.len() == 2 && self.get(key).is_some()).then_some(key)
    }

    fn join_list(&mut self, list: &RawValue, depth: u8) {
        let Self::List(items) = self else {
            return;
        };
        for piece in elements(Some(list)) {
            let index = Members::of(Some(piece)).one("index").ok();
            let index = index.map(RawValue::get);
            let same = index.and_then(|index| {
                let has = |item: &&mut Tree| item.get("index").is_some_and(|at| at.json() == index);
                items.iter_mut().find(has)
            });
            if let Some(item) = same {
                item.join_at(piece, depth);
                continue;
            }
            let element = Self::element(piece);
            let key = element.growing();
            match items.last_mut().filter(|open| open.growing() == key) {
                Some(open) if key.is_some() => open.join_at(piece, depth),
                _ => items.push(element),
            }
        }
    }

    /// Takes an object apart, and says whether it is one.
    pub(in super::super) fn open_object(&mut self) -> bool {
        match self {
            Self::Object(_) => true,
            Self::Raw(json) if json.starts_with('{') => {
                let members = Members::read(json).unwrap_or_default();
                let own = |(key, value): (&str, _)| (key.to_owned(), Self::shallow(value));
                *self = Self::Object(members.iter().map(own).collect());
                true
            }
            _ => false,
        }
    }

    fn open_list(&mut self) -> bool {
        match self {
            Self::List(_) => true,
            Self::Raw(json) if json.starts_with('[') => {
                let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
                *self = Self::List(items.into_iter().map(Self::element).collect());
                true
            }
            _ => false,
        }
    }

    fn shallow(value: &RawValue) -> Self {
        if value.get().starts_with('"') {
            return Self::of(value);
        }
        Self::Raw(value.get().to_owned())
    }

    /// An element of a list, taken apart so that its index can be read.
    fn element(value: &RawValue) -> Self {
        let mut element = Self::shallow(value);
        element.open_object();
        element
    }

    /// The value under `key`, made if there is none. A value that is not an object becomes one.
    pub(in super::super) fn entry(&mut self, key: &str) -> &mut Self {
        if !self.open_object() {
            *self = Self::default();
        }
        let Self::Object(entries) = self else {
            return self;
        };
        let at = match entries.iter().position(|(name, _)| name == key) {
            Some(at) => at,
            None => {
                entries.push((key.to_owned(), Self::null()));
                entries.len() - 1
            }
        };
        // The place was found or made above.
        #[allow(clippy::indexing_slicing)]
        &mut entries[at].1
    }

    /// The element at a place, made if the list ends there; `None` behind that. A value that is not a list becomes one.
    pub(in super::super) fn item(&mut self, at: usize) -> Option<&mut Self> {
        if !self.open_list() {
            *self = Self::List(Vec::new());
        }
        let Self::List(items) = self else {
            return None;
        };
        if items.len() == at {
            items.push(Self::null());
        }
        items.get_mut(at)
    }

    /// Joins a piece to the value under `key`. What is added under `words` is the answer's words.
    pub(in super::super) fn join_under(
        &mut self,
        key: &str,
        piece: &RawValue,
        words: &str,
        sink: &mut DeltaSink,
    ) {
        let entry = self.entry(key);
        entry.join(piece);
        if key == words {
            entry.open_list();
            sink.words(entry.news());
        }
    }

    /// Replaces a value, unless the new one is empty.
    pub(in super::super) fn set(&mut self, key: &str, value: &RawValue) {
        let entry = self.entry(key);
        let says_something = !matches!(value.get(), "null" | "\"\"");
        if says_something || matches!(entry, Self::Raw(json) if json == "null") {
            *entry = Self::shallow(value);
        }
    }

    pub(in super::super) fn put(&mut self, key: &str, value: Self) {
        *self.entry(key) = value;
    }

    pub(in super::super) fn push(&mut self, item: Self) {
        if !self.open_list() {
            *self = Self::List(Vec::new());
        }
        if let Self::List(items) = self {
            items.push(item);
        }
    }

    /// The same, unless it is `null`.
    pub(in super::super) fn some(&self, key: &str) -> Option<&Self> {
        let is_null = |value: &&Self| matches!(value, Self::Raw(json) if json == "null");
        self.get(key).filter(|value| !is_null(value))
    }

    /// The value under `key` of an object that was taken apart.
    pub(in super::super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(entries) = self else {
            return None;
        };
        let entry = entries.iter().find(|(name, _)| name == key);
        entry.map(|(_, value)| value)
    }

    pub(in super::super) fn remove(&mut self, key: &str) {
        if let Self::Object(entries) = self {
            entries.retain(|(name, _)| name != key);
        }
    }

    /// The end of a string that was added since the last time, or of the words of a list's parts.
    pub(in super::super) fn news(&mut self) -> Option<String> {
        match self {
            Self::Text(text) => text.news(),
            Self::List(parts) => {
                let is_text = |part: &&mut Self| {
                    let kind = part.get("type").map(Self::plain);
                    kind.is_some_and(|kind| kind == "text")
                };
                let texts = parts.iter_mut().filter(is_text);
                let news = texts.filter_map(|part| part.entry("text").news());
                Some(news.collect()).filter(|news: &String| !news.is_empty())
            }
            _ => None,
        }
    }

    /// Returns true for a string whose pieces were not all equal.
    pub(super) fn differs(&self) -> bool {
        matches!(self, Self::Text(text) if text.word == 0 && !text.is_empty())
    }

    /// Makes one word of each word that every piece repeated, such as the `channel` of a message. The type of a part names
    /// the key of its text, as `reasoning.text` does: that text stays, and the strings beside it are words. Other strings
    /// are words if `is_word`.
    pub(in super::super) fn once(&mut self, is_word: bool) {
        match self {
            Self::Text(text) if is_word => text.once(),
            Self::Raw(_) | Self::Text(_) => {}
            Self::Object(_) => {
                let kind = self.get("type").map(Self::plain).unwrap_or_default();
                let Self::Object(entries) = self else {
                    return;
                };
                let is_named = |key: &str| !key.is_empty() && kind.ends_with(key);
                let is_text = |value: &Self| !kind.is_empty() && value.differs();
                let has_text = |(key, value): &(String, Self)| is_named(key) || is_text(value);
                let has_text = entries.iter().any(has_text);
                for (key, value) in entries {
                    value.once((is_word || has_text) && !is_named(key));
                }
            }
            Self::List(items) => items.iter_mut().for_each(|item| item.once(is_word)),
        }
    }

    /// The string, or else the JSON text.
    pub(in super::super) fn plain(&self) -> String {
        let json = self.json();
        text(&json).map_or_else(|| json.clone(), std::borrow::Cow::into_owned)
    }

    pub(in super::super) fn json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Raw(json) => out.push_str(json),
            Self::Text(text) => {
                out.push('"');
                out.push_str(&text.escaped);
                out.push('"');
            }
            Self::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| (key.as_str(), value));
                write_object(out, entries, |out, value| value.write(out));
            }
            Self::List(items) => write_list(out, items, |out, item| item.write(out)),
        }
    }
}

/// Returns the text in front of the first half of a pair, if it ends in one.
fn without_first_half(escaped: &str) -> Option<&str> {
    let (start, half) = escaped.split_at_checked(escaped.len().checked_sub(HALF_A_PAIR)?)?;
    let code = u32::from_str_radix(half.strip_prefix("\\u")?, 16).ok()?;
    (0xd800..0xdc00).contains(&code).then_some(start)
}

/// Returns true if a later piece replaces the value rather than goes on with it.
fn is_said_anew(key: &str) -> bool {
    matches!(key, "id" | "index" | "name" | "role" | "type")
}
