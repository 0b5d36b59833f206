//! FNV-1a: a hash that is the same in every run and every build, and works in `const`.

/// The hash of no bytes.
pub const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues the hash `hash` with `bytes`. Begin with [`FNV_OFFSET`].
pub const fn fnv1a(mut hash: u64, mut bytes: &[u8]) -> u64 {
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
        bytes = rest;
    }
    hash
}
