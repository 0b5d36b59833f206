use toolwright::tools;

pub fn add(a: i64, b: i64) -> i64 {
    a + b
}

tools! { pub enum Call; add }

fn main() {}
