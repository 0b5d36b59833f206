use toolwright::tools;

mod other {
    /// Tell the weather.
    #[toolwright::tool]
    fn weather() {}
}

fn main() {
    tools![other::weather];
}
