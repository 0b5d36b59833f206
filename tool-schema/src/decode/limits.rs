/// Limits on the size of a call's arguments.
///
/// ```
/// use toolwright::{Context, args::Limits};
///
/// let cx = Context::new().with_limits(Limits { max_bytes: 64 * 1024, ..Limits::default() });
/// assert_eq!(cx.limits().depth, 128);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of bytes that the arguments' text may have, at most.
    pub max_bytes: usize,
    /// Depth to which arrays and objects may nest, the arguments' own object included. No more than
    /// 128: types are read as deep as the text is, and the stack ends.
    pub depth: u8,
}

impl Limits {
    /// 8 MiB of text, 128 levels.
    pub const DEFAULT: Self = Self {
        max_bytes: 8 * 1024 * 1024,
        depth: 128,
    };

    pub fn capped(mut self) -> Self {
        self.depth = self.depth.min(Self::DEFAULT.depth);
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
