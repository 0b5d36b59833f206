use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Number of bytes stored inline: the ids of `OpenAI` take 29 and those of Anthropic 30.
const IN_PLACE: usize = 30;

/// A text that is cheap to clone and never changes, as the ids and names of calls are.
///
/// Up to 30 bytes are stored inline: making, cloning and dropping it takes no allocation and no shared counter. A
/// longer text is shared.
///
/// ```
/// use toolwright::text::ShortStr;
///
/// let name = ShortStr::from("weather");
/// assert_eq!(name, "weather");
/// assert!(name.starts_with("we"));
/// assert_eq!(name.clone().to_string(), "weather");
/// ```
pub struct ShortStr(ShortStrRepr);

enum ShortStrRepr {
    Here { len: u8, bytes: [u8; IN_PLACE] },
    Shared(Arc<str>),
}

impl ShortStr {
    /// The text in place, if it is short enough for that.
    #[inline]
    fn here(text: &str) -> Option<Self> {
        let len = u8::try_from(text.len()).ok()?;
        let mut bytes = [0; IN_PLACE];
        bytes
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        Some(Self(ShortStrRepr::Here { len, bytes }))
    }

    #[cold]
    #[inline(never)]
    fn share(text: &Arc<str>) -> Self {
        Self(ShortStrRepr::Shared(Arc::clone(text)))
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            // They were a text's.
            ShortStrRepr::Here { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            ShortStrRepr::Shared(text) => text,
        }
    }

    /// Returns the text's bytes, without a check that they are text.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            ShortStrRepr::Here { len, bytes } => bytes.get(..usize::from(*len)).unwrap_or_default(),
            ShortStrRepr::Shared(text) => text.as_bytes(),
        }
    }
}

/// Copies a text in place as a whole. If a shared text were cloned right here, the bytes would be
/// taken apart and put together again.
impl Clone for ShortStr {
    #[inline]
    fn clone(&self) -> Self {
        match &self.0 {
            ShortStrRepr::Here { len, bytes } => Self(ShortStrRepr::Here {
                len: *len,
                bytes: *bytes,
            }),
            ShortStrRepr::Shared(text) => Self::share(text),
        }
    }
}

impl Default for ShortStr {
    #[inline]
    fn default() -> Self {
        Self(ShortStrRepr::Here {
            len: 0,
            bytes: [0; IN_PLACE],
        })
    }
}

impl Deref for ShortStr {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for ShortStr {
    #[inline]
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for ShortStr {
    #[inline]
    fn borrow(&self) -> &str {
        self
    }
}

macro_rules! from {
    ($($ty:ty)*) => {$(
        impl From<$ty> for ShortStr {
            #[inline]
            fn from(text: $ty) -> Self {
                let text: &str = text.as_ref();
                Self::here(text).unwrap_or_else(|| Self(ShortStrRepr::Shared(text.into())))
            }
        }
    )*};
}

from! { &str &String String Box<str> Cow<'_, str> }

/// A long text remains shared.
impl From<Arc<str>> for ShortStr {
    #[inline]
    fn from(text: Arc<str>) -> Self {
        Self::here(&text).unwrap_or(Self(ShortStrRepr::Shared(text)))
    }
}

impl From<&Arc<str>> for ShortStr {
    #[inline]
    fn from(text: &Arc<str>) -> Self {
        Self::here(text).unwrap_or_else(|| Self(ShortStrRepr::Shared(Arc::clone(text))))
    }
}

impl From<ShortStr> for Arc<str> {
    #[inline]
    fn from(text: ShortStr) -> Self {
        match text.0 {
            ShortStrRepr::Here { .. } => text.as_str().into(),
            ShortStrRepr::Shared(text) => text,
        }
    }
}

impl From<ShortStr> for String {
    #[inline]
    fn from(text: ShortStr) -> Self {
        text.as_str().into()
    }
}

impl PartialEq for ShortStr {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for ShortStr {}

impl PartialOrd for ShortStr {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ShortStr {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

/// Hashes as `str` does, since it is borrowed as one.
impl Hash for ShortStr {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

macro_rules! equal {
    ($($other:ty)*) => {$(
        impl PartialEq<$other> for ShortStr {
            #[inline]
            fn eq(&self, other: &$other) -> bool {
                self.as_bytes() == other.as_bytes()
            }
        }

        impl PartialEq<ShortStr> for $other {
            #[inline]
            fn eq(&self, other: &ShortStr) -> bool {
                other == self
            }
        }
    )*};
}

equal! { str &str String Cow<'_, str> }

/// Compares in one direction alone. The other one would make type annotations necessary for comparisons with an
/// `Arc<str>` in every crate that uses this one.
impl PartialEq<Arc<str>> for ShortStr {
    #[inline]
    fn eq(&self, other: &Arc<str>) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl fmt::Display for ShortStr {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for ShortStr {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for ShortStr {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for ShortStr {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer).map(Into::into)
    }
}
