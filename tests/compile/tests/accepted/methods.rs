//! The methods of a type, as tools that are called on one value.
#![deny(warnings)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use toolwright::{Context, Encoder, Schema, ToolCall, tool, tools};

struct Crm {
    calls: AtomicU32,
}

#[tool]
impl Crm {
    const FIRST: u32 = 1;

    /// Not a tool.
    pub fn new() -> Self {
        Self {
            calls: AtomicU32::new(Self::FIRST),
        }
    }

    /// Count the calls.
    #[tool(read_only)]
    pub async fn count(
        &self,
        #[arg(default = Self::FIRST)] step: u32,
        #[context] cx: &Context,
    ) -> u32 {
        let _ = cx;
        self.helper(step)
    }

    /// Count by text.
    #[tool(name = "count-text")]
    fn count_text<'a>(&'a self, text: &'a str) -> Result<&'a str, String> {
        self.helper(1);
        Ok(text)
    }

    /// Needs no value.
    #[tool]
    fn version() -> &'static str {
        "1"
    }

    fn helper(&self, step: u32) -> u32 {
        self.calls.fetch_add(step, Ordering::Relaxed)
    }
}

struct Store<T> {
    value: T,
}

#[tool]
impl<T> Store<T>
where
    T: serde::Serialize + Schema + Clone,
{
    /// Get the value.
    #[tool]
    fn get(self: &Self) -> T {
        self.value.clone()
    }

    /// Get the value, later.
    #[tool]
    async fn wait(&self) -> T {
        std::future::ready(()).await;
        self.value.clone()
    }
}

struct Chosen;

#[tool]
impl Chosen {
    /// Of a platform that is none.
    #[cfg(all(unix, windows))]
    #[tool(targets(openai_strict))]
    fn gone(&self, #[arg(default = missing, range(1..=9))] number: Missing) -> Missing {
        number
    }

    /// Where it is written above.
    #[cfg(not(all(unix, windows)))]
    #[tool]
    fn chosen(&self, #[arg(default = 2, range(1..=9))] number: u8) -> u8 {
        number
    }

    /// And below.
    #[tool]
    #[cfg(all(unix, windows))]
    fn chosen(&self) -> Missing {}
}

struct Empty;

#[tool]
impl Empty {
    /// Gone, too.
    #[cfg(all(unix, windows))]
    #[tool]
    fn gone(&self) {}
}

/// A function, chosen below its `#[tool]`.
#[tool]
#[cfg(all(unix, windows))]
fn free(a: Missing) {}

/// The other one.
#[tool]
#[cfg(not(all(unix, windows)))]
fn free() {}

#[test]
fn runs() {
    let chosen = tools![..Chosen: Chosen, ..Empty: Empty, free];
    let names: Vec<_> = chosen.definitions().map(|def| &*def.name).collect();
    assert_eq!(names, ["chosen", "free"]);
    assert_eq!(Crm::version(), "1");
    let shared = Arc::new(Store { value: 1_u8 });
    let tools = tools![..Crm::new(): Crm, ..shared.clone(): Store<u8>];
    assert_eq!(tools.iter().len(), 5);
    let result = tools.call_blocking(&ToolCall::new("1", "count", "{}"), &Context::new());
    assert_eq!(result.content(Encoder::auto()), "1");
    assert_eq!(Arc::strong_count(&shared), 3);
}
