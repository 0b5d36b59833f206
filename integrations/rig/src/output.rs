//! Conversion of results between rig and Toolwright.

use std::error::Error;

use rig_core::completion::message::{
    DocumentSourceKind, ImageMediaType, MimeType, ToolResultContent,
};
use rig_core::tool::{ToolErrorKind, ToolExecutionError, ToolOutput};
use toolwright::call::{Block, Content, ErrorKind, Payload};
use toolwright::{Encoder, Outcome, ToolError, ToolResult};

/// Converts an error of definitions.
pub(crate) fn failed(error: impl Error + Send + Sync + 'static) -> ToolError {
    ToolError::failed(error.to_string()).with_source(error)
}

/// Converts a result for rig.
pub(crate) fn output_of(result: &ToolResult) -> Result<ToolOutput, ToolExecutionError> {
    match &result.outcome {
        Ok(Outcome::Content(content)) if !content.blocks().is_empty() => {
            ToolOutput::content(content.blocks().iter().map(content_of).collect())
        }
        Ok(Outcome::AskUser { question, .. }) => {
            let words = format!("Ask the user, and go on with the answer: {question}");
            Ok(ToolOutput::text(words))
        }
        Ok(_) => Ok(ToolOutput::text(result.content(Encoder::auto()))),
        Err(error) => Err(error_of(error)),
    }
}

/// Converts a block. rig has no sound, and no images of unusual types: they become a note.
fn content_of(block: &Block) -> ToolResultContent {
    if let Block::Image { mime_type, data } = block
        && let Some(media_type) = ImageMediaType::from_mime_type(mime_type)
    {
        return ToolResultContent::image_base64(data, Some(media_type), None);
    }
    ToolResultContent::text(Content::from(vec![block.clone()]).to_plain())
}

fn error_of(error: &ToolError) -> ToolExecutionError {
    let words = error.to_string();
    let failed = match error.kind() {
        ErrorKind::InvalidArgs => ToolExecutionError::invalid_args(words),
        ErrorKind::Unknown | ErrorKind::Hidden => ToolExecutionError::not_found(words),
        ErrorKind::Rejected => ToolExecutionError::refused(words),
        ErrorKind::Timeout => ToolExecutionError::timeout(words),
        ErrorKind::Cancelled => ToolExecutionError::cancelled(words),
        _ => ToolExecutionError::other(words),
    };
    let failed = failed.with_code(error.kind().as_str());
    let failed = if error.is_permanent() || error.is_outcome_unknown() {
        failed.with_retryable(false)
    } else {
        failed
    };
    failed.with_source(error.clone())
}

/// Converts the output of a tool of rig's.
pub(crate) fn outcome_of(output: ToolOutput) -> Outcome {
    if let Some(text) = output.as_text() {
        return Outcome::Value(Payload::text(text));
    }
    if let Some(value) = output.as_json() {
        return Outcome::value(value);
    }
    let blocks = output.into_content().into_iter().map(block_of);
    Outcome::Content(blocks.collect::<Vec<_>>().into())
}

fn block_of(content: ToolResultContent) -> Block {
    let image = match content {
        ToolResultContent::Text(text) => return Block::Text { text: text.text },
        ToolResultContent::Json { value } => return Block::Json { value },
        ToolResultContent::Image(image) => image,
    };
    let mime_type = image
        .media_type
        .map(|media_type| media_type.to_mime_type().to_owned());
    match (image.data, mime_type) {
        (DocumentSourceKind::Base64(data), Some(mime_type)) => Block::Image { mime_type, data },
        (DocumentSourceKind::Url(uri), mime_type) => Block::Resource { uri, mime_type },
        (_, mime_type) => {
            let mime_type = mime_type.as_deref().unwrap_or("of an unknown type");
            let text = format!("[image, {mime_type}]");
            Block::Text { text }
        }
    }
}

/// Converts the error of a tool of rig's: what the model reads, and apart from it the message for the host.
pub(crate) fn tool_error_of(error: ToolExecutionError) -> ToolError {
    let kind = match error.kind() {
        ToolErrorKind::InvalidArgs => ErrorKind::InvalidArgs,
        _ if error.is_refusal() => ErrorKind::Rejected,
        ToolErrorKind::Timeout => ErrorKind::Timeout,
        ToolErrorKind::Cancelled => ErrorKind::Cancelled,
        _ => ErrorKind::Failed,
    };
    let words = match outcome_of(error.model_output().clone()) {
        Outcome::Content(content) => content.to_plain(),
        _ => error.model_output().render(),
    };
    let failed = ToolError::new(kind, words).with_debug(error.message());
    let failed = match error.retryable() {
        Some(false) => failed.permanent(),
        _ => failed,
    };
    failed.with_source(error)
}
