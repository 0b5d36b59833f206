use schemars::JsonSchema;
use toolwright::schema::SchemaDoc;

fn schema_of_page<T: JsonSchema>() -> SchemaDoc {
    SchemaDoc::of::<Vec<T>>()
}

fn main() {}
