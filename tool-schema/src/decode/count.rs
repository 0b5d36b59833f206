use memchr::{memchr, memchr_iter};

use super::read::Json;

/// So far it is looked ahead, in bytes: arrays may stand in arrays, and their text is then looked at again.
const AHEAD: usize = 4096;

/// For so many elements at most room is made at once: a text of open brackets may say that each of its lists, one inside the
/// other, has thousands.
const MOST: usize = 64;

impl Json<'_> {
    /// About how many elements the array has that has just been opened, so that most lists are allocated once, and not beside
    /// what they have grown out of. It is told by what stands between this bracket and the next that closes an array: too many
    /// where elements have commas or objects in them, too few where they have arrays.
    #[inline(never)]
    pub(super) fn about_elements(&self) -> usize {
        let text = self.rest();
        let text = text.get(..AHEAD).unwrap_or(text);
        let end = memchr(b']', text).unwrap_or(text.len());
        let text = text.get(..end).unwrap_or(text).trim_ascii_start();
        let count = |byte| memchr_iter(byte, text).count();
        let about = match text.first() {
            None | Some(b'[') => 0,
            Some(b'{') => count(b'{'),
            Some(_) => count(b',') + 1,
        };
        about.min(MOST)
    }
}
