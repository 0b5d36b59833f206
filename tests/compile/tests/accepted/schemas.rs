//! Derived schemas of generic and borrowing types, with serde of another module.
#![allow(dead_code)]

use serde::{Deserialize, Serialize};
use toolwright::Schema;

#[derive(Deserialize, Serialize, Schema)]
#[schema(title = "Order", description = "An order")]
struct Order<'a, T> {
    #[schema(range(1..=99), example = 3)]
    count: u32,
    #[schema(len(1..), pattern = "^[a-z](?:b|c)[(?=]$", format = "uri")]
    name: &'a str,
    #[serde(with = "serde_bytes_of")]
    #[schema(as = Vec<Option<u8>>)]
    bytes: Vec<u8>,
    #[schema(recursive)]
    next: Option<Box<Order<'a, T>>>,
    extra: T,
}

mod serde_bytes_of {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        bytes.serialize(to)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        Vec::deserialize(from)
    }
}
