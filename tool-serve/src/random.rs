//! Bytes that nobody can guess.

/// A text of 128 bits of them.
pub(crate) fn id() -> String {
    bytes::<16>().map(|byte| format!("{byte:02x}")).concat()
}

/// From the operating system; where it has none to give, nothing secret can be kept and the program
/// ends.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the operating system gives no random bytes: {error}");
    }
    bytes
}
