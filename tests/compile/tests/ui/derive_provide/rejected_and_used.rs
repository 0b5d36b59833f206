use toolwright::{Provide, tool, tools};

/// Say hello.
#[tool]
fn greet(#[state] name: &String) -> String {
    name.clone()
}

#[derive(Provide)]
struct App {
    name: String,
    title: String,
}

fn main() {
    tools![greet; state = App { name: String::new(), title: String::new() }];
}
