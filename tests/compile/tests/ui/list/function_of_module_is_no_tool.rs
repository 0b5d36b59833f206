use toolwright::tools;

mod other {
    pub fn weather() {}
}

fn main() {
    tools![other::weather];
}
