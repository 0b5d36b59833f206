use toolwright::Provide;

#[derive(Provide)]
struct App {
    name: String,
    title: String,
}

fn main() {}
