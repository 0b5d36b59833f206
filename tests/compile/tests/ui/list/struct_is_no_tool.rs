use toolwright::tools;

struct Weather;

fn main() {
    tools![Weather];
}
