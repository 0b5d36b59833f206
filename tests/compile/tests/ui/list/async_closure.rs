use toolwright::tools;

fn main() {
    tools![async |a: u8| a + 1];
}
