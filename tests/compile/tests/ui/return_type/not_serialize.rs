use std::thread::JoinHandle;
use toolwright::tool;

/// Start a job.
#[tool]
fn start(job: String) -> JoinHandle<()> {
    std::thread::spawn(move || println!("{job}"))
}

fn main() {}
