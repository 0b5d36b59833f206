use toolwright::{Schema, tool, tools};

/// Find it.
#[tool]
fn find<T: Schema + serde::de::DeserializeOwned>(what: T) {
    drop(what);
}

fn main() {
    tools![find];
}
