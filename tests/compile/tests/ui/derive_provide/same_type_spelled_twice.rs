use toolwright::Provide;

#[derive(Provide)]
struct App {
    name: String,
    title: std::string::String,
}

fn main() {}
