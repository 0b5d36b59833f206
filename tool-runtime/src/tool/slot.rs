use toolwright_schema::decode::{Error, Json};

/// A place for a value that the text holds.
pub trait Slot<'de> {
    /// Reads the value that stands next.
    #[doc(hidden)]
    fn fill(&mut self, json: &mut Json<'de>) -> Result<(), Error>;
}
