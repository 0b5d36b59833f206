use toolwright_schema::decode::{Error, Json};

/// A slot for a decoded value.
pub trait Slot<'de> {
    /// Reads the next value.
    #[doc(hidden)]
    fn fill(&mut self, json: &mut Json<'de>) -> Result<(), Error>;
}
