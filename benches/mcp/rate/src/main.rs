//! Calls per second of MCP servers with the same tools: `mcp-rate PROGRAMS [ROUNDS] [MILLISECONDS] [WAY]`, where `PROGRAMS` is the
//! folder of `mcp-toolwright` and `mcp-rmcp`, and a `WAY` stands for those that begin so. In a round each server has its turn with each call; of all rounds the best
//! counts.

mod http;
mod message;
mod pipe;
mod server;

use std::path::Path;
use std::time::{Duration, Instant};

use self::http::{Http, Sessions};
use self::message::{Call, SESSIONS, STATELESS};
use self::pipe::Pipe;
use self::server::Failure;

/// What a client speaks through.
enum Client {
    Pipe(Pipe),
    Http(Http),
}

impl Client {
    fn learn(&mut self, call: &mut Call) -> Result<(), Failure> {
        match self {
            Self::Pipe(pipe) => pipe.learn(call),
            Self::Http(http) => http.learn(call),
        }
    }

    fn go(&mut self, call: &Call, time: Duration) -> Result<u32, Failure> {
        match self {
            Self::Pipe(pipe) => pipe.go(call, time),
            Self::Http(http) => http.go(call, time),
        }
    }

    fn memory(&self) -> u64 {
        match self {
            Self::Pipe(pipe) => pipe.server.memory(),
            Self::Http(http) => http.server.memory(),
        }
    }
}

/// What is known of one server with one call.
struct Known {
    call: Call,
    /// Calls per second, of the best round.
    rate: f64,
}

/// A server, and what is known of it with each call.
struct Row {
    name: &'static str,
    client: Client,
    calls: Vec<Known>,
    answered: u64,
    /// Its calls and its memory when it was warm.
    warm: Option<(u64, u64)>,
}

impl Row {
    fn new(name: &'static str, version: &str, mut client: Client) -> Result<Self, Failure> {
        let calls = Call::all(version).map(|mut call| {
            client
                .learn(&mut call)
                .map_err(|error| format!("{name}: {error}"))?;
            Ok::<_, String>(Known { call, rate: 0.0 })
        });
        let calls = calls.into_iter().collect::<Result<_, _>>()?;
        Ok(Self {
            name,
            client,
            calls,
            answered: 0,
            warm: None,
        })
    }

    fn go(&mut self, time: Duration) -> Result<(), Failure> {
        for known in &mut self.calls {
            let start = Instant::now();
            let answered = self.client.go(&known.call, time);
            let answered = answered.map_err(|error| format!("{}: {error}", self.name))?;
            self.answered += u64::from(answered);
            let answered = f64::from(answered);
            let took = start.elapsed().as_secs_f64();
            known.rate = known.rate.max(answered / took);
        }
        let now = (self.answered, self.client.memory());
        self.warm.get_or_insert(now);
        Ok(())
    }

    /// What it holds after its first turn, and now.
    fn print_memory(&self, way: &str) {
        if let Some((calls, warm)) = self.warm {
            let (name, now) = (self.name, self.client.memory());
            let all = self.answered;
            eprintln!("{way}, {name}: {warm} KiB after {calls} calls, {now} KiB after {all}");
        }
    }
}

/// Measures servers in turns, and prints how the first compares to each of the others.
fn compare(way: &str, mut rows: Vec<Row>, rounds: usize, time: Duration) -> Result<(), Failure> {
    for round in 0..rounds {
        // Nobody is always the one who comes after another.
        let first = round % rows.len();
        rows.rotate_left(first);
        rows.iter_mut().try_for_each(|row| row.go(time))?;
        rows.rotate_right(first);
    }
    for row in &rows {
        row.print_memory(way);
    }
    if let Some((own, others)) = rows.split_first() {
        for other in others {
            for (own, peer) in own.calls.iter().zip(&other.calls) {
                println!(
                    "| {way} | {} | {} | {:.0} | {:.0} | {:.2} |",
                    other.name,
                    own.call.tool,
                    own.rate,
                    peer.rate,
                    own.rate / peer.rate
                );
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let number =
        |at: usize, otherwise: u64| arguments.get(at).map_or(Ok(otherwise), |text| text.parse());
    let programs = Path::new(arguments.get(1).ok_or("say where the programs are")?);
    let (rounds, time) = (
        usize::try_from(number(2, 30)?)?,
        Duration::from_millis(number(3, 100)?),
    );
    let only = arguments.get(4).map_or("", String::as_str);
    println!("| over | beside | tool | Toolwright, calls/s | the other, calls/s | ratio |");
    println!("| --- | --- | --- | ---: | ---: | ---: |");
    for version in [SESSIONS, STATELESS] {
        let way = format!("stdio, {version}");
        if !way.starts_with(only) {
            continue;
        }
        let servers = [
            ("Toolwright", "mcp-toolwright", "stdio"),
            ("rmcp, `stdio`", "mcp-rmcp", "stdio"),
            ("rmcp, `stdio_pipes`", "mcp-rmcp", "stdio-pipes"),
        ];
        let rows = servers.map(|(name, program, how)| {
            Row::new(
                name,
                version,
                Client::Pipe(Pipe::open(programs, program, how, version)?),
            )
        });
        let rows = rows.into_iter().collect::<Result<_, _>>()?;
        compare(&way, rows, rounds, time)?;
    }
    for (what, version, sessions) in [
        ("16 sessions", SESSIONS, Sessions::Each),
        ("one session", SESSIONS, Sessions::One),
        ("no session", STATELESS, Sessions::None),
    ] {
        let way = format!("HTTP, {version}, {what}");
        if !way.starts_with(only) {
            continue;
        }
        let servers = [("Toolwright", "mcp-toolwright"), ("rmcp", "mcp-rmcp")];
        let rows = servers.map(|(name, program)| {
            Row::new(
                name,
                version,
                Client::Http(Http::open(programs, program, sessions)?),
            )
        });
        let rows = rows.into_iter().collect::<Result<_, _>>()?;
        compare(&way, rows, rounds, time)?;
    }
    Ok(())
}
