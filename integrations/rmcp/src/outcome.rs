//! Conversion of a result of rmcp's to an outcome.

use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::Value;
use toolwright::call::{Block, Content, Payload};
use toolwright::{Outcome, ToolError};

/// Converts the result of a call. `isError` becomes the tool's error.
pub(crate) fn outcome(result: CallToolResult) -> Result<Outcome, ToolError> {
    let mut blocks = Vec::new();
    for block in result.content {
        push_block(block, &mut blocks);
    }
    let structured = result.structured_content;
    if result.is_error == Some(true) {
        let mut words = Content::from(blocks).to_plain();
        if let Some(structured) = structured.filter(|_| words.trim().is_empty()) {
            words = structured.to_string();
        }
        return Err(ToolError::failed(words));
    }
    let Some(structured) = structured else {
        return Ok(match blocks.as_mut_slice() {
            [] => Outcome::value(()),
            [Block::Text { text }] => Outcome::Value(Payload::text(std::mem::take(text))),
            _ => Outcome::Content(blocks.into()),
        });
    };
    if blocks.iter().all(|block| repeats(block, &structured)) {
        return Ok(Outcome::value(structured));
    }
    blocks.push(Block::Json { value: structured });
    Ok(Outcome::Content(blocks.into()))
}

/// Returns true if the block is the text of the structured content, which servers add for older clients.
fn repeats(block: &Block, structured: &Value) -> bool {
    let Block::Text { text } = block else {
        return false;
    };
    // Servers put `{"result": …}` around a value that is not an object.
    let wrapped = structured
        .as_object()
        .filter(|object| object.len() == 1)
        .and_then(|object| object.get("result"));
    let is_it = |value: &Value| value == structured || wrapped == Some(value);
    is_it(&Value::from(text.as_str()))
        || serde_json::from_str(text).is_ok_and(|value: Value| is_it(&value))
}

fn push_block(block: ContentBlock, blocks: &mut Vec<Block>) {
    match block {
        ContentBlock::Text(block) => blocks.push(Block::Text { text: block.text }),
        ContentBlock::Image(block) => blocks.push(Block::Image {
            mime_type: block.mime_type,
            data: block.data,
        }),
        ContentBlock::Audio(block) => blocks.push(Block::Audio {
            mime_type: block.mime_type,
            data: block.data,
        }),
        ContentBlock::ResourceLink(link) => push_link(link, blocks),
        ContentBlock::Resource(block) => push_resource(block.resource, blocks),
        // A kind that a later version of rmcp knows: the model may know it, too.
        other => blocks.push(match serde_json::to_value(&other) {
            Ok(value) => Block::Json { value },
            Err(_) => text("[a block of content of an unknown kind]"),
        }),
    }
}

fn push_link(link: Resource, blocks: &mut Vec<Block>) {
    // A link must have a name, so servers use the end of the URI where there is none.
    let name = link.title.unwrap_or(link.name);
    let name = Some(name).filter(|name| !link.uri.ends_with(name.as_str()));
    let words: Vec<_> = [name, link.description].into_iter().flatten().collect();
    if !words.is_empty() {
        blocks.push(text(words.join(": ")));
    }
    blocks.push(Block::Resource {
        uri: link.uri,
        mime_type: link.mime_type,
    });
}

/// Adds an embedded resource. Binary data that is neither an image nor audio becomes a note of its size, since no model
/// reads it.
fn push_resource(resource: ResourceContents, blocks: &mut Vec<Block>) {
    match resource {
        ResourceContents::TextResourceContents {
            uri,
            mime_type,
            text,
            ..
        } => blocks.push(Block::Document {
            uri,
            mime_type,
            text,
        }),
        ResourceContents::BlobResourceContents {
            uri,
            mime_type,
            blob: data,
            ..
        } => match mime_type {
            Some(mime_type) if mime_type.starts_with("image/") => {
                blocks.push(Block::Image { mime_type, data });
            }
            Some(mime_type) if mime_type.starts_with("audio/") => {
                blocks.push(Block::Audio { mime_type, data });
            }
            mime_type => {
                let size = data.len() / 4 * 3;
                blocks.push(text(format!("[about {size} bytes, not shown]")));
                blocks.push(Block::Resource { uri, mime_type });
            }
        },
        _ => blocks.push(text("[a resource of an unknown kind]")),
    }
}

fn text(text: impl Into<String>) -> Block {
    Block::Text { text: text.into() }
}
