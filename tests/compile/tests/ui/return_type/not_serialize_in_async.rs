use std::thread::JoinHandle;
use toolwright::tool;

/// Start a job.
#[tool]
async fn start(job: String) -> JoinHandle<()> {
    std::thread::spawn(move || println!("{job}"))
}

fn main() {}
