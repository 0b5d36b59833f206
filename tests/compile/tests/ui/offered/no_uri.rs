use toolwright::resource;

/// Settings.
#[resource]
fn settings() -> String {
    String::new()
}

fn main() {}
