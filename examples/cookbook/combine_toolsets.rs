// How do I combine toolsets that have equal names?

use serde_json::json;
use toolwright::{Context, Toolset, tools};

mod wiki {
    /// Search the wiki.
    #[toolwright::tool(read_only)]
    pub(crate) fn search(words: &str) -> String {
        format!("a page about {words}")
    }
}

mod tickets {
    /// Search the tickets.
    #[toolwright::tool(read_only)]
    pub(crate) fn search(words: &str) -> String {
        format!("a ticket about {words}")
    }
}

fn all() -> Result<Toolset, Box<dyn std::error::Error>> {
    let (wiki, tickets) = (tools![wiki::search], tools![tickets::search]);
    if let Err(conflict) = wiki.merge(&tickets) {
        println!("{conflict}");
    }
    Ok(wiki.prefix("wiki_")?.merge(&tickets.prefix("tickets_")?)?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = all()?;
    for def in tools.definitions() {
        println!("{}: {}", def.name, def.description);
    }
    let cx = Context::new();
    let found = tools.call_json("tickets_search", json!({"words": "tea"}), &cx);
    println!("{}", found.await?);
    Ok(())
}

// Prints:
// more than one tool is, or was, named `search`; rename one, or give its toolset a prefix
// wiki_search: Search the wiki.
// tickets_search: Search the tickets.
// "a ticket about tea"
