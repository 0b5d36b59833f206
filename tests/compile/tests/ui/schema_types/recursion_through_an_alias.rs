use toolwright::Schema;

type Children = Vec<Tree>;

#[derive(Schema)]
struct Tree {
    children: Children,
}

fn main() {}
