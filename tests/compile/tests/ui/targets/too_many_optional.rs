use toolwright::{tool, tools};

/// Searches.
#[tool]
#[rustfmt::skip]
fn search(a: Option<u8>, b: Option<u8>, c: Option<u8>, d: Option<u8>, e: Option<u8>, f: Option<u8>) -> bool {
    a.or(b).or(c).or(d).or(e).or(f).is_some()
}

fn main() {
    tools! {
        targets: [openai_strict, anthropic_strict];
        search,
        search as "search_mail",
        search as "search_files",
        search as "search_web",
        search as "search_notes",
    };
}
