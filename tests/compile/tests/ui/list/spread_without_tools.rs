use toolwright::tools;

struct Crm;

fn main() {
    tools![..Crm: Crm];
}
