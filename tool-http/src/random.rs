//! Random bytes that cannot be guessed, for ids and tokens.

/// Returns 128 random bits as hexadecimal text.
pub fn id() -> String {
    bytes::<16>().map(|byte| format!("{byte:02x}")).concat()
}

/// Returns random bytes of the operating system.
///
/// # Panics
/// If the operating system has none, since no id could be secret then.
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the operating system gives no random bytes: {error}");
    }
    bytes
}
