use toolwright::tool;

/// Say hello.
#[tool]
fn greet(#[arg(default = &String::from("Ada"))] name: &str) -> String {
    name.to_owned()
}

fn main() {}
