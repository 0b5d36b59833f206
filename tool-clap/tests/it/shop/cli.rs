use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Orders and customers.
#[derive(Parser, Debug)]
#[command(name = "shop", version)]
pub(crate) struct Cli {
    /// File with the settings.
    #[arg(long, global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Access token.
    #[arg(long, env = "SHOP_TOKEN")]
    pub(crate) token: Option<String>,
    /// Says more.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Shop,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Shop {
    /// Lists orders.
    Orders {
        /// Which ones.
        #[arg(long, value_enum, default_value_t = Status::Open)]
        status: Status,
        /// Most orders.
        #[arg(long, default_value_t = 20)]
        limit: u16,
        /// Least total.
        #[arg(long)]
        min_total: Option<f64>,
        /// Only these tags.
        #[arg(long)]
        tag: Vec<String>,
        /// Only these countries.
        #[arg(long, value_delimiter = ',')]
        country: Vec<String>,
        #[arg(short = 'x')]
        short_only: bool,
    },
    /// Ships an order.
    Ship {
        /// Number of the order.
        order: u64,
        /// Notes for the carrier.
        notes: Vec<String>,
        /// Arrives tomorrow.
        #[arg(long, conflicts_with = "slow")]
        express: bool,
        /// Arrives some day.
        #[arg(long)]
        slow: bool,
        /// Value to insure.
        #[arg(long, requires = "insurer")]
        insured: Option<i32>,
        /// Who insures it.
        #[arg(long)]
        insurer: Option<String>,
        #[arg(long, hide = true)]
        secret_switch: bool,
    },
    /// Remote shops.
    Remote {
        #[command(subcommand)]
        command: Remote,
    },
    /// Serves the shop over HTTP.
    Serve,
    /// Writes completions.
    Completions { shell: String },
    /// Not for you.
    #[command(hide = true)]
    Internal,
    /// Odd ends.
    #[command(subcommand)]
    Odd(Odd),
}

#[derive(Subcommand, Debug)]
pub(crate) enum Remote {
    /// Adds a remote shop.
    Add { name: String, url: String },
    /// Removes a remote shop.
    Remove { name: String },
}

#[derive(Subcommand, Debug)]
pub(crate) enum Odd {
    Fail { code: i32 },
    Flood { bytes: usize },
    Input,
    Environment,
    Quiet,
    Warn,
    Hang { file: String },
    Beat { file: String },
    Start,
    Nap,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
pub(crate) enum Status {
    /// Not shipped.
    Open,
    /// Shipped.
    Done,
}
