//! Versions of the protocol.

/// A version that is spoken here, in the order of time.
///
/// Source: <https://modelcontextprotocol.io/specification/versioning>.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    /// Spoken by the client alone. It has several messages in one.
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    /// Without sessions: each request says who asks.
    V2026_07_28,
}

impl Version {
    /// All of them, the newest first.
    pub(crate) const ALL: [Self; 4] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
    ];

    /// The newest with the greeting `initialize`.
    pub(crate) const NEWEST_GREETED: Self = Self::V2025_11_25;

    /// The versions of a server, the newest first.
    pub(crate) const SERVED: [Self; 3] = [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18];

    /// The oldest version of a server, for clients that ask for an older one.
    const OLDEST_SERVED: Self = Self::V2025_06_18;

    /// Returns a server's version with the greeting `initialize` for the version that a client asks for: the same, the
    /// oldest for an older one, and else the newest.
    pub(crate) fn greeted(asked: &str) -> Self {
        match Self::served(asked) {
            Some(version) if !version.is_modern() => version,
            None if asked < Self::OLDEST_SERVED.as_str() => Self::OLDEST_SERVED,
            _ => Self::NEWEST_GREETED,
        }
    }

    /// Reads a version of a server.
    pub(crate) fn served(text: &str) -> Option<Self> {
        Self::read(text).filter(|version| *version >= Self::OLDEST_SERVED)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.as_str() == text)
    }

    /// Returns true if each request says for itself who asks, so that there is neither a greeting nor a session.
    pub(crate) fn is_modern(self) -> bool {
        self >= Self::V2026_07_28
    }
}
