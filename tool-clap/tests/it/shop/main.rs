//! The program that tests run: it prints what it was called with.

// Who started them ends, and they go on.
#![allow(clippy::zombie_processes)]

mod cli;

use std::io::{Read, Write};
use std::process::{Command, exit};
use std::time::Duration;

use clap::Parser;
use cli::{Cli, Odd, Shop};

fn main() -> std::io::Result<()> {
    let cli = Cli::parse();
    let Shop::Odd(odd) = &cli.command else {
        println!("{cli:?}");
        return Ok(());
    };
    match odd {
        Odd::Fail { code } => {
            println!("half of it is done");
            eprintln!("no such order");
            exit(*code);
        }
        Odd::Flood { bytes } => {
            std::io::stdout().write_all("é".repeat(*bytes / 2).as_bytes())?;
        }
        Odd::Input => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            println!("read {} bytes", text.len());
        }
        Odd::Environment => {
            let mut names: Vec<_> = std::env::vars()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            names.sort();
            println!("{}", names.join(" "));
        }
        Odd::Quiet => {}
        Odd::Warn => eprintln!("on the other stream"),
        Odd::Hang { file } => {
            // One that it starts, too: both must end.
            let mut child = Command::new(std::env::current_exe()?);
            child.args(["odd", "beat", "--", file.as_str()]).spawn()?;
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        Odd::Beat { file } => loop {
            std::fs::write(file, format!("{:?}", std::time::Instant::now()))?;
            std::thread::sleep(Duration::from_millis(5));
        },
        Odd::Start => {
            let mut child = Command::new(std::env::current_exe()?);
            child.args(["odd", "nap"]).spawn()?;
            println!("started");
        }
        Odd::Nap => std::thread::sleep(Duration::from_secs(5)),
    }
    Ok(())
}
