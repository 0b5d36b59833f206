//! The outcome of a call, out of the text of a server's result.

use std::borrow::Cow;

use super::error_data::with_data;
use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright_json::Value;
use toolwright_provider::call::{Block, Content, ErrorKind, Outcome, Payload, ToolError};

use crate::protocol::{array, string};

/// A result of `tools/call`, as far as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    structured_content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(rename = "_meta", borrow, default)]
    meta: Option<&'a RawValue>,
}

/// A block of content; what it may lack is not missed.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentBlock<'a> {
    Text {
        #[serde(borrow)]
        text: Cow<'a, str>,
    },
    #[serde(rename_all = "camelCase")]
    Image {
        data: String,
        mime_type: String,
    },
    #[serde(rename_all = "camelCase")]
    Audio {
        data: String,
        mime_type: String,
    },
    #[serde(rename_all = "camelCase")]
    ResourceLink {
        uri: String,
        #[serde(default)]
        title: Option<String>,
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        description: Option<String>,
        #[serde(default)]
        mime_type: Option<String>,
    },
    Resource {
        resource: Embedded,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Embedded {
    uri: String,
    #[serde(default)]
    mime_type: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    blob: Option<String>,
}

/// Reads a call's outcome. `odd` hears what is left out; a strict client leaves out nothing.
pub(super) fn outcome(
    result: &str,
    is_strict: bool,
    odd: impl FnOnce(&str),
) -> Result<Outcome, ToolError> {
    let invalid = "the server's answer is not a result of a tool";
    let result = match serde_json::from_str::<CallResult<'_>>(result) {
        Ok(result) => result,
        Err(error) => {
            return Err(ToolError::new(ErrorKind::InvalidReturn, invalid).with_source(error));
        }
    };
    let structured = result.structured_content;
    let mut blocks = Vec::new();
    match result.content.map(RawValue::get) {
        None => {}
        Some(list) if list.starts_with('[') => {
            for block in array(list) {
                read_block(block, &mut blocks);
            }
        }
        Some(_) if is_strict => return Err(ToolError::new(ErrorKind::InvalidReturn, invalid)),
        Some(one) if one.starts_with(['{', '"']) => read_block(one, &mut blocks),
        Some(_) => odd("the `content` of a result is not a list, and is left out"),
    }
    if result.is_error == Some(true) {
        let error = error(structured, blocks);
        return Err(with_data(error, result.meta, structured));
    }
    let Some(structured) = structured else {
        return Ok(plain(blocks));
    };
    if blocks
        .iter()
        .all(|block| says(block, structured, is_strict))
    {
        return Ok(Outcome::Value(Payload::new(structured)));
    }
    // The text, since a `Value` would damage its numbers.
    blocks.push(Block::Text {
        text: structured.get().to_owned(),
    });
    Ok(Outcome::Content(blocks.into()))
}

/// One text is the value itself.
fn plain(mut blocks: Vec<Block>) -> Outcome {
    match blocks.as_mut_slice() {
        [] => Outcome::value(()),
        [Block::Text { text }] => Outcome::Value(Payload::text(std::mem::take(text))),
        _ => Outcome::Content(blocks.into()),
    }
}

/// A tool that fails is an answer like any other, and the model reads what it says.
fn error(structured: Option<&RawValue>, blocks: Vec<Block>) -> ToolError {
    let mut text = Content::from(blocks).to_plain();
    if let Some(structured) = structured
        && text.trim().is_empty()
    {
        structured.get().clone_into(&mut text);
    }
    ToolError::failed(text)
}

/// Returns true if a block is only the text of the structured content, which servers add for older clients. If `is_strict`,
/// numbers are equal only as they are written.
fn says(block: &Block, structured: &RawValue, is_strict: bool) -> bool {
    let Block::Text { text } = block else {
        return false;
    };
    let structured = structured.get();
    if text == structured {
        return true;
    }
    let Ok(structured) = Value::parse(structured) else {
        return false;
    };
    let sorted = |value: &Value<'_>| {
        let mut text = String::new();
        value.write_sorted(&mut text);
        text
    };
    let is_one = |one: &Value<'_>, other: &Value<'_>| {
        one == other && (!is_strict || sorted(one) == sorted(other))
    };
    // `{"result": …}` around what is not an object, as several kits do, or `{"content": …}`, as servers do by themselves.
    let is_inside =
        |value: &Value<'_>| matches!(structured.entries(), [(_, inner)] if is_one(inner, value));
    let is_it = |value: &Value<'_>| is_one(&structured, value) || is_inside(value);
    // As a string, or as the JSON that it is the text of, in which JavaScript writes `1.0` as `1`.
    is_it(&Value::string(text.as_str())) || Value::parse(text).is_ok_and(|value| is_it(&value))
}

pub(super) fn read_block(json: &str, blocks: &mut Vec<Block>) {
    if let Some(words) = string(json) {
        blocks.push(text(words));
        return;
    }
    let Ok(block) = serde_json::from_str::<ContentBlock<'_>>(json) else {
        // A kind that is not known here: the model may know it.
        blocks.push(match serde_json::from_str(json) {
            Ok(value) => Block::Json { value },
            Err(_) => text(json),
        });
        return;
    };
    match block {
        ContentBlock::Text { text } => blocks.push(Block::Text {
            text: text.into_owned(),
        }),
        ContentBlock::Image { data, mime_type } => blocks.push(Block::Image { mime_type, data }),
        ContentBlock::Audio { data, mime_type } => blocks.push(Block::Audio { mime_type, data }),
        ContentBlock::ResourceLink {
            uri,
            title,
            name,
            description,
            mime_type,
        } => {
            // A link must have a name, so some are made of its end.
            let named = title.or(name).filter(|name| !uri.ends_with(name.as_str()));
            let words = [named, description];
            let words: Vec<_> = words.into_iter().flatten().collect();
            if !words.is_empty() {
                blocks.push(text(words.join(": ")));
            }
            blocks.push(Block::Resource { uri, mime_type });
        }
        ContentBlock::Resource { resource } => embedded(resource, blocks),
    }
}

fn text(text: impl Into<String>) -> Block {
    Block::Text { text: text.into() }
}

/// A resource in the answer itself. What is neither text nor a picture nor sound no model reads: it is
/// told where it lies, and how large it is.
fn embedded(resource: Embedded, blocks: &mut Vec<Block>) {
    let Embedded {
        uri,
        mime_type,
        text: words,
        blob,
    } = resource;
    let kind = mime_type.as_deref().unwrap_or_default();
    match (words, blob) {
        (Some(words), _) => {
            blocks.push(Block::Resource { uri, mime_type });
            blocks.push(text(words));
        }
        (None, Some(data)) if kind.starts_with("image/") => blocks.push(Block::Image {
            mime_type: kind.to_owned(),
            data,
        }),
        (None, Some(data)) if kind.starts_with("audio/") => blocks.push(Block::Audio {
            mime_type: kind.to_owned(),
            data,
        }),
        (None, Some(data)) => {
            let size = data.len() / 4 * 3;
            blocks.push(text(format!("[about {size} bytes, not shown]")));
            blocks.push(Block::Resource { uri, mime_type });
        }
        (None, None) => blocks.push(Block::Resource { uri, mime_type }),
    }
}
