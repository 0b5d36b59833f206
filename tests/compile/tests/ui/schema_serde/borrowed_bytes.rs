use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Shop<'a> {
    key: &'a [u8],
}

fn main() {}
