use std::collections::VecDeque;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use toolwright_json::cut;

use crate::tool::{Answer, Call, Context, Grant, Tool};
use toolwright_provider::call::{Block, Content, Outcome, Payload, ToolDef, ToolError, ToolResult};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Field, Schema, Shape};

/// Limit on the bytes and lines of an answer that a model reads.
///
/// Longer answers are cut and end with a note on how much was left out. Text is cut between characters. JSON stays
/// valid: strings are shortened, then lists and objects lose their last entries. Errors of tools are cut, too. Results
/// for the user, final values, pictures and sound are not.
///
/// The limit counts the text before an encoder quotes it, without the note.
///
/// ```
/// use toolwright::{
///     Context, DynTool, Executor, ToolCall, ToolError, Toolset, executor::OutputLimit,
/// };
///
/// let log = DynTool::builder()
///     .name("log")
///     .description("Reads the log.")
///     .handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>("a line\n".repeat(3000)))
///     .build()
///     .unwrap();
/// let tools = Toolset::new([log]).unwrap();
/// let executor = Executor::serial(&tools).output_limit(OutputLimit::default());
/// let batch = executor.run_blocking(&[ToolCall::new("1", "log", "")], &Context::new());
/// let text = batch.results().next().unwrap().content(Default::default()).into_owned();
/// assert_eq!(text.lines().count(), 2001);
/// assert!(text.ends_with("[output truncated: 7000 of 21000 bytes left out]"));
/// ```
#[derive(Debug, Clone)]
pub struct OutputLimit {
    bytes: usize,
    lines: usize,
    overflow: Option<Overflow>,
}

impl Default for OutputLimit {
    /// 50,000 bytes and 2,000 lines.
    fn default() -> Self {
        Self::new(50_000, 2_000)
    }
}

impl OutputLimit {
    /// Sets the number of bytes and of lines.
    pub const fn new(bytes: usize, lines: usize) -> Self {
        Self {
            bytes,
            lines,
            overflow: None,
        }
    }

    /// Keeps the full text of cut answers, so the model can read on.
    pub fn overflow(mut self, overflow: &Overflow) -> Self {
        self.overflow = Some(overflow.clone());
        self
    }

    /// Cuts an answer to a call with this context.
    pub(super) fn apply(&self, result: &mut ToolResult, cx: &Context) {
        // The reading tool limits its own pages.
        if self.overflow.is_some() && *result.name == *READ_OUTPUT {
            return;
        }
        match &mut result.outcome {
            Ok(Outcome::Value(value)) => {
                if let Some(cut) = self.value(value, cx) {
                    *value = cut;
                }
            }
            Ok(Outcome::Content(content)) => self.content(content, cx),
            Ok(_) => {}
            Err(error) => {
                let (mut bytes, mut lines) = (self.bytes, self.lines);
                error.replace_messages(|message| take(message, &mut bytes, &mut lines, None));
            }
        }
    }

    fn value(&self, value: &Payload, cx: &Context) -> Option<Payload> {
        let keep = |text: &str, end| self.keep(text, end, cx);
        if let Some(text) = value.as_text() {
            let (mut bytes, mut lines) = (self.bytes, self.lines);
            let cut = take(text, &mut bytes, &mut lines, Some(&keep))?;
            return Some(Payload::text(cut));
        }
        let json = value.to_json();
        cut::end(&json, self.bytes, self.lines)?;
        let more = keep(&json, 0);
        let note = format!("shortened from {} bytes of JSON{more}", json.len());
        Some(Payload::__cut(cut::json(&json, self.bytes, &note)))
    }

    /// Cuts content; its blocks share the limit.
    fn content(&self, content: &mut Content, cx: &Context) {
        let (mut bytes, mut lines) = (self.bytes, self.lines);
        let keep = |text: &str, end| self.keep(text, end, cx);
        for block in content.blocks_mut() {
            if let Block::Json { value } = block {
                let json = value.to_string();
                if json.len() > bytes {
                    let note = format!("shortened from {} bytes{}", json.len(), keep(&json, 0));
                    let cut = cut::json(&json, bytes, &note);
                    *value = serde_json::from_str(&cut).unwrap_or(note.into());
                }
                bytes = bytes.saturating_sub(json.len());
            } else if let Some(text) = block.text_mut()
                && let Some(cut) = take(text, &mut bytes, &mut lines, Some(&keep))
            {
                *text = cut;
            }
        }
    }

    /// Keeps a text that is cut at `end`. Returns a note on how to read on.
    fn keep(&self, text: &str, end: usize, cx: &Context) -> String {
        let overflow = self.overflow.as_ref();
        match overflow.and_then(|overflow| overflow.put(text, self, cx)) {
            Some(id) => format!("; `{READ_OUTPUT}` reads on, with id {id} and offset {end}"),
            None => String::new(),
        }
    }
}

/// Keeps a cut text and returns a note on how to read on.
type Keep<'k> = dyn Fn(&str, usize) -> String + 'k;

/// Takes the text's share of the room. Returns the cut text if it needs more.
fn take(
    text: &str,
    bytes: &mut usize,
    lines: &mut usize,
    keep: Option<&Keep<'_>>,
) -> Option<String> {
    let Some(end) = cut::end(text, *bytes, *lines) else {
        *bytes = bytes.saturating_sub(text.len());
        *lines = lines.saturating_sub(text.lines().count());
        return None;
    };
    (*bytes, *lines) = (0, 0);
    let shown = text.get(..end).unwrap_or_default();
    let gap = if shown.is_empty() || shown.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let (left, whole) = (text.len() - end, text.len());
    let more = keep.map(|keep| keep(text, end)).unwrap_or_default();
    Some(format!(
        "{shown}{gap}[output truncated: {left} of {whole} bytes left out{more}]"
    ))
}

/// Name of the tool that reads on.
const READ_OUTPUT: &str = "read_output";

/// Keeps the full texts of cut answers for the tool `read_output`. Cheap to clone; clones share their texts.
///
/// The oldest texts make room for new ones. A text belongs to the conversation
/// ([`Context::with_session`](crate::tool::Context::with_session)) and the caller ([`Grant`]) of its call, and only they can read it.
/// Outside of a conversation an id has 64 random bits, so that the id of another's text cannot be guessed.
///
/// ```
/// use toolwright::{Executor, Toolset, executor::{OutputLimit, Overflow}};
///
/// let overflow = Overflow::new(16 * 1024 * 1024);
/// let tools = Toolset::new([overflow.tool()]).unwrap(); // and yours
/// let executor = Executor::serial(&tools).output_limit(OutputLimit::default().overflow(&overflow));
/// ```
#[derive(Clone)]
pub struct Overflow(Arc<Mutex<StoredTexts>>);

struct StoredTexts {
    capacity: usize,
    held: usize,
    count: u64,
    /// Secret of the ids.
    secret: RandomState,
    texts: VecDeque<StoredText>,
}

struct StoredText {
    id: String,
    owner: Owner,
    text: Arc<str>,
    bytes: usize,
    lines: usize,
}

/// Conversation and caller of a text. Scopes and claims of a grant may change in between.
#[derive(PartialEq, Eq)]
struct Owner {
    session: Option<String>,
    issuer: Option<String>,
    subject: Option<String>,
    client: Option<String>,
}

impl Owner {
    fn of(cx: &Context) -> Self {
        let grant = cx.get::<Grant>();
        let owned = |part: Option<&str>| part.map(str::to_owned);
        Self {
            session: owned(cx.session_id()),
            issuer: owned(grant.and_then(Grant::issuer)),
            subject: owned(grant.and_then(Grant::subject)),
            client: owned(grant.and_then(Grant::client_id)),
        }
    }
}

impl Overflow {
    /// Sets the total number of bytes. A longer text is not kept.
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(StoredTexts {
            capacity: bytes,
            held: 0,
            count: 0,
            secret: RandomState::new(),
            texts: VecDeque::new(),
        })))
    }

    /// Returns the tool `read_output`; add it to the tools whose answers are kept.
    pub fn tool(&self) -> Arc<dyn Tool> {
        let mut def = ToolDef::new(
            READ_OUTPUT,
            "Reads on in an output that was too long, from an offset in bytes.",
        );
        def.input = SchemaDoc::of::<Read>();
        def.options.annotations.read_only = Some(true);
        Arc::new(ReadOutput {
            def,
            store: self.clone(),
        })
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    fn stored(&self) -> MutexGuard<'_, StoredTexts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, text: &str, limit: &OutputLimit, cx: &Context) -> Option<String> {
        let mut stored = self.stored();
        let room = stored.capacity.checked_sub(text.len())?;
        while stored.held > room {
            let old = stored.texts.pop_front()?;
            stored.held = stored.held.saturating_sub(old.text.len());
        }
        stored.held += text.len();
        stored.count += 1;
        let owner = Owner::of(cx);
        let id = match &owner.session {
            Some(_) => format!("output_{}", stored.count),
            None => format!("output_{:016x}", stored.secret.hash_one(stored.count)),
        };
        stored.texts.push_back(StoredText {
            id: id.clone(),
            owner,
            text: text.into(),
            bytes: limit.bytes.max(4),
            lines: limit.lines.max(1),
        });
        Some(id)
    }

    fn read(&self, read: &Read, cx: &Context) -> Result<String, ToolError> {
        let owner = Owner::of(cx);
        let found = {
            let stored = self.stored();
            let mut texts = stored.texts.iter();
            let one = texts.find(|one| one.id == read.id && one.owner == owner);
            one.map(|one| (Arc::clone(&one.text), one.bytes, one.lines))
        };
        let Some((text, bytes, lines)) = found else {
            let id: String = read.id.chars().take(40).collect();
            return Err(ToolError::failed(format!(
                "no output `{id}` is kept here; old ones are forgotten"
            )));
        };
        let whole = text.len();
        let start = usize::try_from(read.offset).unwrap_or(usize::MAX);
        let start = text.floor_char_boundary(start);
        let rest = text.get(start..).unwrap_or_default();
        if rest.is_empty() {
            return Err(ToolError::failed(format!(
                "the output ends at offset {whole}"
            )));
        }
        Ok(match cut::end(rest, bytes, lines) {
            None => rest.to_owned(),
            Some(end) => {
                let page = rest.get(..end).unwrap_or_default();
                let gap = if page.ends_with('\n') { "" } else { "\n" };
                let next = start + end;
                format!("{page}{gap}[the output goes on at offset {next} of {whole}]")
            }
        })
    }
}

impl fmt::Debug for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The texts may be secret.
        let stored = self.stored();
        f.debug_struct("Overflow")
            .field("capacity", &stored.capacity)
            .field("held", &stored.held)
            .field("texts", &stored.texts.len())
            .finish()
    }
}

/// Arguments of `read_output`.
#[derive(Deserialize)]
struct Read {
    id: String,
    offset: u64,
}

impl Schema for Read {
    const SHAPE: &'static Shape<'static> = &Shape::object(&[
        Field::new("id", "The output's id, as its end says it", String::SHAPE),
        Field::new("offset", "Where to begin, in bytes", u64::SHAPE),
    ]);
}

struct ReadOutput {
    def: ToolDef,
    store: Overflow,
}

impl Tool for ReadOutput {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        let read = || {
            let read: Read = call.decode()?;
            let text = self.store.read(&read, &call.context())?;
            Ok(Outcome::Value(Payload::text(text)))
        };
        Answer::Ready(read())
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        call.decode::<Read>().map(drop)
    }
}
