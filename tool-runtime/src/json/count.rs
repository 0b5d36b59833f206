use memchr::{memchr, memchr_iter};

use super::read::Json;

/// So far it is looked ahead, in bytes: arrays may stand in arrays, and their text is then looked at again.
const AHEAD: usize = 4096;

impl Json<'_> {
    /// About how many elements the array has that has just been opened, so that a list is allocated once, and not beside
    /// what it has grown out of. It is told by what stands between this bracket and the next that closes an array, and is at
    /// most one for each byte of that: too many where elements have commas or objects in them, too few where they have arrays.
    #[inline(never)]
    pub(super) fn about_elements(&self) -> usize {
        let text = self.bytes().get(self.at..).unwrap_or_default();
        let text = text.get(..AHEAD).unwrap_or(text);
        let end = memchr(b']', text).unwrap_or(text.len());
        let text = text.get(..end).unwrap_or(text).trim_ascii_start();
        let count = |byte| memchr_iter(byte, text).count();
        match text.first() {
            None | Some(b'[') => 0,
            Some(b'{') => count(b'{'),
            Some(_) => count(b',') + 1,
        }
    }
}
