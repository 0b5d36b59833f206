use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct Days {
    from: String,
}

#[derive(Deserialize, Schema)]
struct Range {
    from: String,
    to: Option<String>,
}

#[derive(Deserialize, Schema)]
#[serde(untagged, deny_unknown_fields)]
enum When {
    Since { days: Vec<Days> },
    Within { days: Vec<Range> },
}

#[tool]
/// Takes one.
fn take(one: When) {
    drop(one);
}

fn main() {}
