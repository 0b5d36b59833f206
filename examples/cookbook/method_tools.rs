// How do I make tools of a type's methods?

use serde_json::json;
use toolwright::{Context, ToolError, tool, tools};

struct Library {
    titles: Vec<&'static str>,
}

#[tool]
impl Library {
    /// Find books by a word of the title.
    #[tool(read_only)]
    fn find_books(&self, word: &str) -> Vec<&'static str> {
        let titles = self.titles.iter().copied();
        titles.filter(|title| title.contains(word)).collect()
    }

    /// Count the books.
    #[tool(read_only)]
    fn count_books(&self) -> usize {
        self.titles.len()
    }
}

#[tokio::main]
async fn main() -> Result<(), ToolError> {
    let library = Library {
        titles: vec!["The Sea, the Sea", "Emma", "Sea of Poppies"],
    };
    let tools = tools![..library: Library];
    for def in tools.definitions() {
        println!("{}: {}", def.name, def.description);
    }
    let cx = Context::new();
    let found = tools.call_json("find_books", json!({"word": "Sea"}), &cx);
    println!("{}", found.await?);
    println!("{}", tools.call_json("count_books", json!({}), &cx).await?);
    Ok(())
}

// Prints:
// find_books: Find books by a word of the title.
// count_books: Count the books.
// ["The Sea, the Sea","Sea of Poppies"]
// 3
