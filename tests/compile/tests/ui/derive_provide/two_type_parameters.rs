use toolwright::Provide;

#[derive(Provide)]
struct App<Store: Clone, Queue> {
    store: Store,
    queue: Queue,
}

fn main() {}
