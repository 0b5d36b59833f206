use toolwright::Provide;

#[derive(Provide)]
struct App {
    name: String,
    #[provide(ignore)]
    title: String,
}

fn main() {}
