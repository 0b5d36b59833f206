//! Calls as requests of HTTP, over connections that are kept.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::HeaderValue;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::message::{self, Call};
use crate::server::{Failure, Server};

/// How many connections there are, each with one call at a time.
const CONNECTIONS: usize = 16;

const SESSION: &str = "mcp-session-id";

/// Who keeps the session.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sessions {
    /// Each connection one of its own.
    Each,
    /// All connections the same.
    One,
    /// Nobody: 2026-07-28.
    None,
}

/// The clients of one server.
pub(crate) struct Http {
    pub(crate) server: Server,
    runtime: Runtime,
    clients: Vec<Client>,
}

struct Client {
    host: HeaderValue,
    connection: SendRequest<Full<Bytes>>,
    session: Option<HeaderValue>,
    id: u64,
}

impl Client {
    async fn open(host: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        let (connection, run) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(run);
        Ok(Self {
            host: host.parse()?,
            connection,
            session: None,
            id: 0,
        })
    }

    /// The response's body, and the session that it opens.
    async fn post(
        &mut self,
        body: String,
        tool: Option<&'static str>,
    ) -> Result<(Bytes, Option<HeaderValue>), Failure> {
        let mut request = Request::post("/mcp")
            .header("host", &self.host)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        request = match (&self.session, tool) {
            (Some(session), _) => request
                .header(SESSION, session)
                .header("mcp-protocol-version", message::SESSIONS),
            (None, Some(tool)) => request
                .header("mcp-protocol-version", message::STATELESS)
                .header("mcp-method", "tools/call")
                .header("mcp-name", tool),
            (None, None) => request,
        };
        self.connection.ready().await?;
        let response = self
            .connection
            .send_request(request.body(Full::from(body))?)
            .await?;
        let (parts, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        if !matches!(parts.status, StatusCode::OK | StatusCode::ACCEPTED) {
            return Err(format!("{}: {}", parts.status, String::from_utf8_lossy(&body)).into());
        }
        Ok((body, parts.headers.get(SESSION).cloned()))
    }

    async fn greet(&mut self) -> Result<(), Failure> {
        let (_, session) = self.post(message::hello(), None).await?;
        self.session = session;
        self.post(message::READY.to_owned(), None).await?;
        Ok(())
    }

    async fn call(&mut self, call: &Call) -> Result<Bytes, Failure> {
        self.id += 1;
        let mut body = String::with_capacity(2048);
        call.write(self.id, &mut body);
        Ok(self.post(body, Some(call.tool)).await?.0)
    }

    async fn go(&mut self, call: &Call, end: Instant) -> Result<u32, Failure> {
        let mut answered = 0;
        while Instant::now() < end {
            let answer = self.call(call).await?;
            call.check(&answer)?;
            answered += 1;
        }
        Ok(answered)
    }
}

impl Http {
    pub(crate) fn open(
        programs: &Path,
        program: &str,
        sessions: Sessions,
    ) -> Result<Self, Failure> {
        let mut server = Server::start(programs, program, "http")?;
        let mut host = String::new();
        BufReader::new(server.0.stdout.take().ok_or("no output")?).read_line(&mut host)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let clients = runtime.block_on(async {
            let mut clients: Vec<Client> = Vec::new();
            for at in 0..CONNECTIONS {
                let mut client = Client::open(host.trim()).await?;
                // The ids of one session differ.
                client.id = u64::try_from(at)? * 1_000_000_000;
                match (sessions, clients.first()) {
                    (Sessions::None, _) => {}
                    (Sessions::One, Some(first)) => client.session = first.session.clone(),
                    (Sessions::One, None) | (Sessions::Each, _) => client.greet().await?,
                }
                clients.push(client);
            }
            Ok::<_, Failure>(clients)
        })?;
        Ok(Self {
            server,
            runtime,
            clients,
        })
    }

    /// One call, whose answer is looked at.
    pub(crate) fn learn(&mut self, call: &mut Call) -> Result<(), Failure> {
        let client = self.clients.first_mut().ok_or("no clients")?;
        let answer = self.runtime.block_on(client.call(call))?;
        call.learn(&answer)
    }

    /// Calls for this long. How many were answered.
    pub(crate) fn go(&mut self, call: &Call, time: Duration) -> Result<u32, Failure> {
        let end = Instant::now() + time;
        let call = Arc::new(call.clone());
        let mut going = JoinSet::new();
        let answered: Result<u32, Failure> = self.runtime.block_on(async {
            for mut client in self.clients.drain(..) {
                let call = Arc::clone(&call);
                going.spawn(async move {
                    client
                        .go(&call, end)
                        .await
                        .map(|answered| (client, answered))
                });
            }
            let mut all = 0;
            while let Some(gone) = going.join_next().await {
                let (client, answered) = gone??;
                self.clients.push(client);
                all += answered;
            }
            Ok(all)
        });
        Ok(answered?)
    }
}
