use toolwright::{tool, tools};

/// Takes a name that one provider does not take.
#[tool]
fn record(#[arg(flatten)] record: Record) -> bool {
    record.id == record.other
}

#[derive(serde::Deserialize, toolwright::Schema)]
struct Record {
    #[serde(rename = "$id")]
    id: String,
    other: String,
}

fn main() {
    tools! { targets: [openai_strict, gemini_openapi]; record };
}
