use std::thread::JoinHandle;
use toolwright::tool;

/// Start a job.
#[tool]
async fn start(job: String) -> std::io::Result<JoinHandle<()>> {
    Ok(std::thread::spawn(move || println!("{job}")))
}

fn main() {}
