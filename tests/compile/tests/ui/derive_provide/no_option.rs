use toolwright::Provide;

#[derive(Provide)]
struct App {
    #[provide]
    name: String,
}

fn main() {}
