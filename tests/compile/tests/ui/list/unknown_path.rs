use toolwright::tools;

fn main() {
    tools![weather];
}
