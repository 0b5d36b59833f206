//! Properties of kinds.

use crate::shape::{Kind, Object, Rule, Shape, Side};

/// A type of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonType {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl JsonType {
    /// Returns the type of JSON that starts with this byte.
    #[inline]
    pub(crate) const fn of_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            b'n' => Self::Null,
            b't' | b'f' => Self::Boolean,
            b'-' | b'0'..=b'9' => Self::Number,
            b'"' => Self::String,
            b'[' => Self::Array,
            b'{' => Self::Object,
            _ => return None,
        })
    }
}

impl Kind<'_> {
    /// Returns the type of all values; `None` if they are of several types, or another shape knows.
    #[inline]
    pub(crate) const fn json_type(&self) -> Option<JsonType> {
        Some(match self {
            Kind::Null => JsonType::Null,
            Kind::Bool => JsonType::Boolean,
            Kind::Integer(_) | Kind::Number(_) => JsonType::Number,
            Kind::String(_) | Kind::Enum(_) => JsonType::String,
            Kind::Array(_) | Kind::Tuple(_) => JsonType::Array,
            Kind::Object(_) | Kind::Map(_) => JsonType::Object,
            Kind::Any
            | Kind::Nullable(_)
            | Kind::Union(_)
            | Kind::Bounded(..)
            | Kind::InOut { .. }
            | Kind::Recursive(_)
            | Kind::Foreign(_)
            | Kind::Rule(_)
            | Kind::Unknown => return None,
        })
    }

    /// Returns true if values have no parts.
    pub(crate) const fn is_leaf(&self) -> bool {
        matches!(
            self.json_type(),
            Some(JsonType::Null | JsonType::Boolean | JsonType::Number | JsonType::String)
        )
    }

    /// Returns true for a number or a string, perhaps within bounds or nullable: a faster [`is_leaf`](Self::is_leaf), which
    /// misses some.
    #[inline]
    pub(crate) const fn is_scalar(&self) -> bool {
        let kind = match self {
            Self::Bounded(inner, _) | Self::Nullable(inner) => &inner.kind,
            kind => kind,
        };
        matches!(kind, Self::Integer(_) | Self::Number(_) | Self::String(_))
    }

    /// Returns false if no value is read from the key of an object, which is a string.
    pub(crate) const fn may_be_key(&self) -> bool {
        !matches!(
            self,
            Self::Null
                | Self::Number(_)
                | Self::Array(_)
                | Self::Tuple(_)
                | Self::Object(_)
                | Self::Map(_)
        )
    }

    /// Returns true if all values are objects.
    pub const fn is_object(&self) -> bool {
        matches!(self.json_type(), Some(JsonType::Object))
    }

    /// Returns true if all values are arrays.
    pub(crate) const fn is_array(&self) -> bool {
        matches!(self.json_type(), Some(JsonType::Array))
    }

    /// Returns true if the tree has no rules for values.
    #[inline]
    pub const fn is_opaque(&self) -> bool {
        matches!(self, Kind::Any | Kind::Foreign(_) | Kind::Unknown)
    }

    /// Returns true if the value can be flattened: it is an object, or may be one.
    pub const fn may_be_flattened(&self) -> bool {
        self.is_object()
            || self.is_opaque()
            || matches!(
                self,
                Kind::Union(_) | Kind::Enum(_) | Kind::Null | Kind::Recursive(_)
            )
    }

    /// Returns true if a text is a value, or is read as one: `"5"` for a number.
    pub const fn is_read_of_a_text(&self) -> bool {
        match self {
            Kind::Bool | Kind::Integer(_) | Kind::Number(_) | Kind::String(_) | Kind::Enum(_) => {
                true
            }
            Kind::Nullable(inner) | Kind::Bounded(inner, _) | Kind::InOut { input: inner, .. } => {
                inner.kind.is_read_of_a_text()
            }
            other => other.is_opaque(),
        }
    }

    /// Returns true if every string is a value, and nothing else is.
    pub const fn is_any_string(&self) -> bool {
        matches!(self, Kind::String(rules) if rules.is_any())
    }

    /// Returns true if the kind itself, apart from its parts, admits fewer values than its JSON type, or than
    /// the Rust type of its width, has.
    pub(crate) const fn is_bounded(&self) -> bool {
        match self {
            Kind::Integer(range) => range.multiple_of != 0 || !range.is_type(),
            Kind::Number(range) => {
                range.min.is_some() || range.max.is_some() || range.multiple_of.is_some()
            }
            Kind::String(rules) => !rules.is_any(),
            Kind::Bounded(_, bounds) => !bounds.is_none(),
            Kind::Array(_) | Kind::Map(_) => !matches!(self.len_range(), (0, None)),
            _ => false,
        }
    }

    /// Returns true if the kind excludes equal elements.
    pub(crate) const fn is_unique(&self) -> bool {
        match self {
            Kind::Array(array) => array.unique,
            Kind::Bounded(_, bounds) => bounds.unique,
            _ => false,
        }
    }

    /// Returns the fewest and the most parts that the kind itself admits: of an array, a tuple or a map, and of
    /// bounds the characters of a string, too.
    pub const fn len_range(&self) -> (u64, Option<u64>) {
        match self {
            Kind::Array(array) => (array.min_len, array.max_len),
            Kind::Map(map) => (map.min_len, map.max_len),
            Kind::Tuple(items) => (items.len() as u64, Some(items.len() as u64)),
            Kind::Rule(Rule::PrefixItems(places)) => (places.min_len, places.max_len),
            Kind::Bounded(_, bounds) => {
                let min = match bounds.min_len {
                    Some(min) => min,
                    None => 0,
                };
                (min, bounds.max_len)
            }
            _ => (0, None),
        }
    }
}

impl<'s> Kind<'s> {
    /// Returns the shape of an array's element at an index.
    pub(crate) fn element(&self, index: usize) -> Option<&'s Shape<'s>> {
        match self {
            Kind::Array(array) => Some(array.items),
            Kind::Tuple(items) => items.get(index).copied(),
            _ => None,
        }
    }

    /// Returns the keys that the type declares, if it is such an object.
    #[inline]
    pub(crate) const fn as_object(&self) -> Option<&Object<'s>> {
        match self {
            Kind::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl Shape<'_> {
    /// Returns true if a value may be of this type; `None` if that takes a look at other shapes than those inside
    /// the layers.
    #[inline]
    pub(crate) const fn may_be(&self, given: JsonType) -> Option<bool> {
        let mut shape = self;
        while let Some(inner) = shape.kind.layer(Side::Input) {
            if shape.kind.adds_null() && matches!(given, JsonType::Null) {
                return Some(true);
            }
            shape = inner;
        }
        match shape.kind.json_type() {
            Some(own) => Some(own as u8 == given as u8),
            None => None,
        }
    }

    /// Returns true if a part of the tree is not known before the program runs.
    pub fn is_known_late(&self) -> bool {
        let mut children = (0..).map_while(|index| self.kind.child(index));
        matches!(self.kind, Kind::Foreign(_) | Kind::Unknown | Kind::Rule(_))
            || children.any(|child| child.shape.is_known_late())
    }
}
