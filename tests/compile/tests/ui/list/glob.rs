mod numbers {
    /// Adds two numbers.
    #[toolwright::tool]
    pub fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    toolwright::tools![numbers::*];
}
