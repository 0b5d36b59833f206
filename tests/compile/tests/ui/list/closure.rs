use toolwright::tools;

fn main() {
    tools![|a: u8| a + 1];
}
