use toolwright::tools;

fn weather() {}

fn main() {
    tools![weather];
}
