use toolwright::tools;

mod other {
    /// Tell the weather.
    #[toolwright::tool]
    pub fn weather() {}
}

fn main() {
    tools![weather];
}
