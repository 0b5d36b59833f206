use toolwright::tool;

/// Measures.
#[tool(example({"at": [1, 2]}))]
fn measure(at: (u8, u8, u8)) -> bool {
    at == (0, 0, 0)
}

fn main() {}
