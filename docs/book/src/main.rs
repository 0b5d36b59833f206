//! Builds the guide into `target/book`: pages with a search, each page's text beside it, and `llms.txt`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Result;
use mdbook_driver::MDBook;
use mdbook_renderer::book::Chapter;
use mdbook_renderer::{RenderContext, Renderer};

/// What a page is called where the guide is published.
const SITE: &str = "https://toolwright.github.io/toolwright/";

fn main() -> Result<()> {
    let book = MDBook::load(env!("CARGO_MANIFEST_DIR"))?;
    book.build()?;
    book.execute_build_process(&PlainText)?;
    let folder = book.build_dir_for("html").canonicalize()?;
    for chart in ["chart.svg", "compile.svg"] {
        let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches");
        fs::copy(benches.join(chart), folder.join(chart))?;
    }
    println!("{}", folder.join("index.html").display());
    Ok(())
}

/// Writes `PAGE.md` beside each `PAGE.html`, with every included file in place; `llms.txt`, a line for each page; and
/// `llms-full.txt`, all pages after each other.
struct PlainText;

impl Renderer for PlainText {
    fn name(&self) -> &'static str {
        "text"
    }

    fn render(&self, context: &RenderContext) -> Result<()> {
        let mut index = String::from(
            "# Toolwright\n\n> A Rust library: `#[tool]` makes a function a tool that a language model can call.\n\n",
        );
        let mut all = String::new();
        for chapter in context.book.chapters() {
            let Some(path) = &chapter.path else { continue };
            write(&context.destination.join(path), &chapter.content)?;
            let url = path.display();
            writeln!(
                index,
                "- [{}]({SITE}{url}): {}",
                chapter.name,
                summary(chapter)
            )?;
            writeln!(all, "{}\n", chapter.content)?;
        }
        write(&context.destination.join("llms.txt"), &index)?;
        write(&context.destination.join("llms-full.txt"), &all)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, text)?)
}

/// The first paragraph under the title.
fn summary(chapter: &Chapter) -> String {
    let paragraph = chapter
        .content
        .split("\n\n")
        .find(|text| !text.starts_with('#'));
    paragraph.unwrap_or_default().trim().replace('\n', " ")
}
