use toolwright::tool;

struct Crm;

impl Crm {
    /// Make one.
    #[tool]
    fn new() -> Self {
        Self
    }
}

fn main() {}
