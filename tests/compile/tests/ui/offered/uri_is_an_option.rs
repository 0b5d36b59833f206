use toolwright::resource;

/// Settings.
#[resource(uri = "config://app")]
fn settings() -> String {
    String::new()
}

fn main() {}
