//! The tokens that a definition takes.

use std::borrow::Cow;

use crate::call::ToolDef;
use crate::dialect::{Dialect, lower};
use toolwright_schema::tokens::{Tokenizer, definition};

impl ToolDef {
    /// Returns a number of tokens that the definition does not exceed, by [`bound`](toolwright_schema::tokens::bound). The
    /// same number counts against the `budget` of `tools!`, which counts 40 tokens for each schema that is not known before
    /// the program runs. Examples and extras of a wire are not counted.
    ///
    /// ```
    /// use toolwright::ToolDef;
    ///
    /// assert_eq!(ToolDef::new("add", "Adds two numbers.").token_bound(), 39);
    /// ```
    pub fn token_bound(&self) -> usize {
        match self.input.shape() {
            Some(shape) if !shape.is_known_late() => {
                definition::bound(&self.name, &self.description, shape)
            }
            _ => definition::bound_of_json(&self.name, &self.description, &self.sent_schema()),
        }
    }

    /// Returns the schema as Anthropic gets it; unchanged if it would not be sent.
    fn sent_schema(&self) -> Cow<'_, str> {
        let lowered = lower(&self.input, Dialect::Anthropic).ok();
        let lowered = lowered.and_then(|lowered| lowered.schema);
        lowered.map_or(Cow::Borrowed(self.input.as_json()), Cow::Owned)
    }

    /// Returns the tokens of the definition, as Anthropic gets it: of its name, description and schema, as compact JSON. In
    /// other dialects it is a little longer or shorter. Examples and extras of a wire are not counted. Providers do
    /// not document how they convert it for the model.
    ///
    /// With [`Tokenizer::Bound`] it is [`token_bound`](Self::token_bound).
    ///
    /// ```
    /// use toolwright::ToolDef;
    /// use toolwright::tokens::Tokenizer;
    ///
    /// let add = ToolDef::new("add", "Adds two numbers.");
    /// assert_eq!(add.tokens(Tokenizer::Gemini), 32);
    /// ```
    pub fn tokens(&self, tokenizer: Tokenizer) -> usize {
        if tokenizer == Tokenizer::Bound {
            return self.token_bound();
        }
        let name = serde_json::Value::from(self.name.as_ref());
        let description = serde_json::Value::from(self.description.as_ref());
        let schema = self.sent_schema();
        tokenizer.count(&format!(
            r#"{{"name":{name},"description":{description},"input_schema":{schema}}}"#
        ))
    }
}
