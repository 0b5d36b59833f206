//! Offers of a server beside tools.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toolwright_json::{ObjectWriter, object, quoted};
use toolwright_provider::call::{Block, Content, ErrorKind, ToolError};
use toolwright_runtime::tool::Context;

use super::Client;
use super::call::{RequestSpec, Rounds};
use super::connection::short;
use super::event::ClientEvent;
use super::pages::{MOST_PAGES, Then};
use super::result::read_block;
use crate::protocol::{Fields, array};

/// Prompt of a server: see [`Client::prompts`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptInfo {
    /// Name of the prompt.
    pub name: String,
    /// Name for people.
    pub title: Option<String>,
    /// Purpose of the prompt.
    pub description: Option<String>,
    /// Arguments of the prompt.
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
}

/// Argument of a [`PromptInfo`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Name of the argument.
    pub name: String,
    /// Meaning of the argument.
    pub description: Option<String>,
    /// The prompt needs it.
    #[serde(default)]
    pub required: bool,
}

/// Resource of a server, or template of resources: see [`Client::resources`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceInfo {
    /// URI of the resource, or template of URIs, such as `orders://{id}`.
    #[serde(alias = "uriTemplate")]
    pub uri: String,
    /// Name of the resource.
    pub name: String,
    /// Name for people.
    pub title: Option<String>,
    /// Description of the resource.
    pub description: Option<String>,
    /// Media type of the resource.
    pub mime_type: Option<String>,
}

/// Message of a prompt: see [`Client::prompt`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// Content of the message.
    pub content: Content,
}

/// Prompts, resources and completion. The texts are the server's, as those of its tools.
///
/// # Errors
/// Each returns the server's error, or an error if the [idle timeout](super::Connector::idle_timeout) expires or the
/// connection is lost. Requests are not retried. An entry of a list that cannot be read is left out, with an event
/// [`BadMessage`](super::ClientEvent::BadMessage).
impl Client {
    /// Returns the server's prompts.
    pub async fn prompts(&self) -> Result<Vec<PromptInfo>, ToolError> {
        self.list("prompts/list", "prompts").await
    }

    /// Fills in a prompt.
    ///
    /// ```no_run
    /// # async fn run(client: toolwright::mcp::Client) -> Result<(), toolwright::ToolError> {
    /// for message in client.prompt("review", [("code", "fn main() {}")]).await? {
    ///     println!("{}: {}", message.role, message.content.to_plain());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn prompt<'v>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) -> Result<Vec<PromptMessage>, ToolError> {
        let arguments = arguments.into_iter();
        let arguments = object(arguments.map(|(name, value)| (name, quoted(value))));
        let params = ObjectWriter::new()
            .text("name", name)
            .json("arguments", &arguments);
        let result = self.ask("prompts/get", Some(name), params).await?;
        let messages = entries(&result, "messages")?;
        let messages = messages.iter().map(|message| {
            let message = Fields::of(message).map_err(|_| unreadable("a message"))?;
            let role = message
                .text("role")
                .ok_or_else(|| unreadable("a message"))?;
            let mut blocks = Vec::new();
            if let Some(content) = message.some("content") {
                read_block(content, &mut blocks);
            }
            Ok(PromptMessage {
                role: role.into_owned(),
                content: blocks.into(),
            })
        });
        messages.collect()
    }

    /// Returns the server's resources.
    pub async fn resources(&self) -> Result<Vec<ResourceInfo>, ToolError> {
        self.list("resources/list", "resources").await
    }

    /// Returns the templates of the server's resources.
    pub async fn resource_templates(&self) -> Result<Vec<ResourceInfo>, ToolError> {
        self.list("resources/templates/list", "resourceTemplates")
            .await
    }

    /// Reads a resource. Text becomes a document block, image and audio data become image and audio blocks, and any other
    /// data becomes a note.
    pub async fn read(&self, uri: &str) -> Result<Content, ToolError> {
        let params = ObjectWriter::new().text("uri", uri);
        let result = self.ask("resources/read", Some(uri), params).await?;
        let mut blocks = Vec::new();
        for contents in entries(&result, "contents")? {
            let resource = ObjectWriter::new()
                .text("type", "resource")
                .json("resource", contents);
            read_block(&resource.end(), &mut blocks);
        }
        // A text is told with its place.
        let mut read: Vec<Block> = Vec::new();
        for block in blocks {
            match (read.pop(), block) {
                (Some(Block::Resource { uri, mime_type }), Block::Text { text }) => {
                    read.push(Block::Document {
                        uri,
                        mime_type,
                        text,
                    });
                }
                (before, block) => {
                    read.extend(before);
                    read.push(block);
                }
            }
        }
        Ok(read.into())
    }

    /// Returns completions for an argument of a prompt, given the value typed so far.
    pub async fn complete_prompt(
        &self,
        name: &str,
        argument: &str,
        value: &str,
    ) -> Result<Vec<String>, ToolError> {
        let of = ObjectWriter::new()
            .text("type", "ref/prompt")
            .text("name", name);
        self.complete(&of.end(), argument, value).await
    }

    /// Returns completions for a variable of a resource template, given the value typed so far.
    pub async fn complete_resource(
        &self,
        template: &str,
        variable: &str,
        value: &str,
    ) -> Result<Vec<String>, ToolError> {
        let of = ObjectWriter::new()
            .text("type", "ref/resource")
            .text("uri", template);
        self.complete(&of.end(), variable, value).await
    }

    async fn complete(
        &self,
        of: &str,
        argument: &str,
        value: &str,
    ) -> Result<Vec<String>, ToolError> {
        let params = ObjectWriter::new()
            .json("ref", of)
            .object("argument", |object| {
                object.text("name", argument).text("value", value)
            });
        let result = self.ask("completion/complete", None, params).await?;
        let completion = Fields::of(&result)
            .ok()
            .and_then(|result| result.some("completion"));
        typed(
            completion.and_then(|one| Fields::of(one).ok()?.some("values")),
            "the completion",
        )
    }

    async fn ask(
        &self,
        method: &str,
        name: Option<&str>,
        params: ObjectWriter,
    ) -> Result<String, ToolError> {
        let wanted = RequestSpec {
            method,
            name,
            params,
            repeated: Vec::new(),
            is_repeatable: true,
        };
        self.link
            .ask(&wanted, Rounds::default(), Context::new())
            .await
    }

    /// All entries of a list, page after page.
    async fn list<T: DeserializeOwned>(
        &self,
        method: &str,
        key: &str,
    ) -> Result<Vec<T>, ToolError> {
        let (mut all, mut bytes) = (Vec::new(), 0);
        let mut cursor: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let params = ObjectWriter::new().maybe_text("cursor", cursor.as_deref());
            let page = self.ask(method, None, params).await?;
            bytes += page.len();
            if bytes > self.link.settings.most_bytes {
                return Err(unreadable("a list of so many bytes"));
            }
            let fields = Fields::of(&page).map_err(|_| unreadable("the list"))?;
            for entry in entries(&page, key)? {
                match serde_json::from_str(entry) {
                    Ok(entry) => all.push(entry),
                    Err(error) => self.bad(&format!("an entry of `{key}` is left out: {error}")),
                }
            }
            let next = Then::read(fields.some("nextCursor"), self.link.settings.is_strict);
            match next.map_err(|why| unreadable(&why))? {
                Then::Page(next) => cursor = Some(next),
                Then::End => return Ok(all),
                Then::OddCursor => {
                    self.bad(&format!(
                        "the list `{key}` ends at a `nextCursor` that is not a text"
                    ));
                    return Ok(all);
                }
            }
        }
        Err(unreadable("a list without an end"))
    }

    fn bad(&self, what: &str) {
        let event = ClientEvent::BadMessage(short(what));
        self.link.settings.events.tell(&event);
    }
}

fn entries<'r>(result: &'r str, key: &str) -> Result<Vec<&'r str>, ToolError> {
    let entries = Fields::of(result).ok().and_then(|result| result.some(key));
    entries.map(array).ok_or_else(|| unreadable(key))
}

fn typed<T: DeserializeOwned>(json: Option<&str>, what: &str) -> Result<T, ToolError> {
    let value = json.and_then(|json| serde_json::from_str(json).ok());
    value.ok_or_else(|| unreadable(what))
}

fn unreadable(what: &str) -> ToolError {
    let words = format!("the MCP server's answer cannot be read: {what}");
    ToolError::new(ErrorKind::InvalidReturn, words)
}
