//! Types that only have schemars' trait, and functions that return its schemas.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::shape::{Foreign, Kind, Shape};

/// The tree of such a type: a leaf.
pub const fn foreign<T: JsonSchema + ?Sized>() -> &'static Shape<'static> {
    const {
        &Shape::new(Kind::Foreign(Foreign {
            input: || input_schema(SchemaGenerator::root_schema_for::<T>),
            output: || output_schema(SchemaGenerator::root_schema_for::<T>),
        }))
    }
}

/// The schema of schemars' `schema_with` for reading, with the definitions that it names.
pub fn input_schema(schema_with: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Value {
    schema(
        SchemaSettings::draft2020_12().for_deserialize(),
        schema_with,
    )
}

/// The schema of schemars' `schema_with` for writing, with the definitions that it names.
pub fn output_schema(schema_with: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Value {
    schema(SchemaSettings::draft2020_12().for_serialize(), schema_with)
}

fn schema(
    settings: SchemaSettings,
    schema_with: impl FnOnce(&mut SchemaGenerator) -> Schema,
) -> Value {
    let mut generator = settings.into_generator();
    let mut schema = schema_with(&mut generator);
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() && schema.get("$defs").is_none() {
        schema.insert("$defs".to_owned(), definitions.into());
    }
    schema.into()
}
