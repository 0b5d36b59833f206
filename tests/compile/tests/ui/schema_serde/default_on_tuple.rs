use toolwright::Schema;

#[derive(Default, Schema)]
#[serde(default)]
struct Pair(u8, u8);

fn main() {}
