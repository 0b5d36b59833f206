use toolwright::{tool, tools};

struct App;

#[tool]
impl App {
    /// Adds.
    #[tool]
    fn add(&self, a: u32, b: u32) -> u32 {
        a + b
    }
}

fn main() {
    let app = App;
    tools![app];
}
