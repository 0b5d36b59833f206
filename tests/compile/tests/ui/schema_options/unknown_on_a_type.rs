use toolwright::Schema;

#[derive(Schema)]
#[schema(tag = "kind")]
enum Event {
    Opened { by: String },
}

fn main() {}
