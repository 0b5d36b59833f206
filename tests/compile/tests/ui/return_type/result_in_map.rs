use std::collections::HashMap;
use toolwright::tool;

struct Files;

#[tool]
impl Files {
    /// Sizes of files.
    #[tool]
    fn sizes(&self) -> HashMap<String, [Result<u64, String>; 2]> {
        HashMap::new()
    }
}

fn main() {}
