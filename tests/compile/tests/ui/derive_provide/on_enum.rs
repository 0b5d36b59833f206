use toolwright::Provide;

#[derive(Provide)]
enum App {
    Db(u32),
}

fn main() {}
