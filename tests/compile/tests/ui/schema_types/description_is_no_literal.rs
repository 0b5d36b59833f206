use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[doc = concat!("How ", "many")]
    value: u8,
}

fn main() {}
