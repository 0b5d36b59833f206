use toolwright::Provide;

struct Settings;

#[derive(Provide)]
struct App<Store: Send + 'static> {
    settings: Settings,
    store: Store,
}

fn main() {}
