use serde::{Deserialize, Serialize};

/// Blocks for the model: text, pictures and more, in order.
///
/// Return it from a tool whose answer is more than one value. A provider that takes text alone gets
/// the text of every block.
///
/// ```
/// use toolwright::call::Content;
///
/// let content = Content::text("Here is the chart.").image("image/png", "iVBORw0KGgo=");
/// assert_eq!(content.blocks().len(), 2);
///
/// let alone = Content::default().image("image/png", "iVBORw0KGgo=");
/// assert_eq!(alone.blocks().len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content(Vec<Block>);

/// One block of [`Content`]. Binary data is Base64 text, as every wire format has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image {
        /// Its media type, such as `image/png`.
        mime_type: String,
        /// Base64.
        data: String,
    },
    /// Sound.
    Audio {
        /// Its media type, such as `audio/wav`.
        mime_type: String,
        /// Base64.
        data: String,
    },
    /// Something that lies elsewhere.
    Resource {
        /// URI of the resource.
        uri: String,
        /// Its media type, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
    },
    /// A text document, with where it is from.
    Document {
        /// URI that the document is from.
        uri: String,
        /// Its media type, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// Text of the document.
        text: String,
    },
    /// Data.
    Json {
        /// The data.
        value: serde_json::Value,
    },
    /// A deferred tool that the model may call from now on. An agent puts its definition into the next request.
    Tool {
        /// The tool's name.
        name: String,
        /// The tool's purpose, in a line.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        description: String,
    },
}

impl Block {
    /// The text, or a note for another kind of block.
    pub(crate) fn to_plain(&self) -> String {
        match self {
            Self::Text { text } | Self::Document { text, .. } => text.clone(),
            Self::Image { mime_type, .. } => format!("[image, {mime_type}]"),
            Self::Audio { mime_type, .. } => format!("[audio, {mime_type}]"),
            Self::Resource { uri, .. } => format!("[resource, {uri}]"),
            Self::Json { value } => value.to_string(),
            Self::Tool { name, description } if description.is_empty() => name.clone(),
            Self::Tool { name, description } => format!("{name}: {description}"),
        }
    }
}

impl Block {
    /// Returns the name of the deferred tool that the block refers to.
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Tool { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Returns the words that the model reads, where the block is words.
    #[doc(hidden)]
    pub fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Text { text } | Self::Document { text, .. } => Some(text),
            Self::Image { .. }
            | Self::Audio { .. }
            | Self::Resource { .. }
            | Self::Json { .. }
            | Self::Tool { .. } => None,
        }
    }
}

impl Content {
    /// Content that starts with words.
    pub fn text(text: impl Into<String>) -> Self {
        Self(vec![Block::Text { text: text.into() }])
    }

    /// Appends a picture: media type and Base64.
    pub fn image(self, mime_type: impl Into<String>, data: impl Into<String>) -> Self {
        self.with(Block::Image {
            mime_type: mime_type.into(),
            data: data.into(),
        })
    }

    /// Appends a block.
    pub fn with(mut self, block: Block) -> Self {
        self.0.push(block);
        self
    }

    #[doc(hidden)]
    pub fn blocks_mut(&mut self) -> &mut [Block] {
        &mut self.0
    }

    /// The blocks, in order.
    pub fn blocks(&self) -> &[Block] {
        &self.0
    }

    /// Returns the content as plain text: words as they are, data as JSON, and a note for each other block.
    pub fn to_plain(&self) -> String {
        let lines = self.0.iter().map(Block::to_plain);
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Self {
        Self(blocks)
    }
}
