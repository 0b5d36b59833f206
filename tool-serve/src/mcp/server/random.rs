//! Bytes that nobody can guess.

/// From the operating system; where it has none to give, nothing secret can be kept and the program
/// ends.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the operating system gives no random bytes: {error}");
    }
    bytes
}
