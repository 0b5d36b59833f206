//! Versions of the protocol.

/// A version that is spoken here, in the order of time.
///
/// Source: <https://modelcontextprotocol.io/specification/versioning>.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    V2024_11_05,
    /// Spoken by the client alone. It has several messages in one.
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    /// Without sessions: each request says who asks.
    V2026_07_28,
}

impl Version {
    /// All of them, the newest first.
    pub(crate) const ALL: [Self; 5] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
        Self::V2024_11_05,
    ];

    /// The newest with the greeting `initialize`.
    pub(crate) const NEWEST_GREETED: Self = Self::V2025_11_25;

    /// The versions of a server, the newest first. What tools need is the same in the oldest one.
    pub(crate) const SERVED: [Self; 4] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2024_11_05,
    ];

    /// Returns a server's version with the greeting `initialize` for the version that a client asks for: the newest that is
    /// not newer, since SDKs refuse versions that are newer than they are; else the oldest.
    pub(crate) fn greeted(asked: &str) -> Self {
        let mut greeted = Self::SERVED.into_iter();
        let not_newer = greeted.find(|version| !version.is_modern() && version.as_str() <= asked);
        not_newer.unwrap_or(Self::V2024_11_05)
    }

    /// Reads a version of a server.
    pub(crate) fn served(text: &str) -> Option<Self> {
        Self::read(text).filter(|version| Self::SERVED.contains(version))
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
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
