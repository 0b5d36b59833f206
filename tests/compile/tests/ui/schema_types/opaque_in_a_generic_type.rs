use schemars::JsonSchema;
use toolwright::{Schema, schema::SchemaDoc};

#[derive(JsonSchema)]
struct Theirs;

#[derive(Schema)]
struct Page<T> {
    items: Vec<T>,
}

fn schema() -> SchemaDoc {
    SchemaDoc::of::<Page<Theirs>>()
}

fn main() {}
