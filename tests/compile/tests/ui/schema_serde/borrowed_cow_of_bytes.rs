use std::borrow::Cow;

use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Shop<'a> {
    #[serde(borrow)]
    key: Cow<'a, [u8]>,
}

fn main() {}
