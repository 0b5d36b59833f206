//! The page writes what nobody sees as its server's messages do.

use fancy_regex::{Captures, Regex};
use toolwright::text::Printable;

use super::client::serve;

#[test]
fn the_page_shows_what_messages_show() {
    let script = serve().get("/page/visible.js").body;
    let pattern = script.split("const HIDDEN = /").nth(1).unwrap();
    let pattern = pattern.split("/gu;").next().unwrap();
    let hidden = Regex::new(pattern).unwrap();
    let shown = |text: &str| {
        let escape = |found: &Captures<'_, str>| match found.name("meant") {
            Some(meant) => meant.as_str().to_owned(),
            None => found[0].escape_unicode().to_string(),
        };
        hidden.replace_all(text, escape).into_owned()
    };
    // One of each kind, in all orders of three.
    let parts = [
        "a",
        "0",
        "#",
        "©",
        "\n",
        "\r",
        "\t",
        "\u{1b}",
        "\u{7f}",
        "\u{ad}",
        "\u{600}",
        "\u{661}",
        "\u{645}",
        "\u{94d}",
        "\u{e01}",
        "\u{1820}",
        "\u{180b}",
        "\u{200b}",
        "\u{200c}",
        "\u{200d}",
        "\u{202e}",
        "\u{2028}",
        "\u{20e3}",
        "\u{2764}",
        "\u{2800}",
        "\u{2801}",
        "\u{3164}",
        "\u{845b}",
        "\u{fe00}",
        "\u{fe0f}",
        "\u{feff}",
        "\u{fffc}",
        "\u{13000}",
        "\u{13430}",
        "\u{1bca0}",
        "\u{1f3f4}",
        "\u{1f3fd}",
        "\u{1f469}",
        "\u{e0041}",
        "\u{e0100}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "寿司",
    ];
    let hidden_parts = parts.map(|part| (part, Printable::new(part).to_string()));
    for (two, _) in hidden_parts.iter().filter(|(part, shown)| part != shown) {
        for one in parts {
            for three in parts {
                let text = format!("{one}{two}{three}x{three}");
                // Rust has a shorter escape for this one.
                let expected = Printable::new(&text).to_string().replace(r"\r", r"\u{d}");
                assert_eq!(shown(&text), expected, "{text:?}");
            }
        }
    }
}
