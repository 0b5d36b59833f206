//! The place on this machine that a browser comes back to (RFC 8252, section 7.3).

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A request has at most so many bytes, and takes so long to arrive.
const MOST_BYTES: usize = 16 * 1024;
const ARRIVES: Duration = Duration::from_secs(10);

/// So many connections are open at once. A browser opens some of which it makes no use.
const MOST_CONNECTIONS: usize = 16;

/// So long a person may take.
const LIMIT: Duration = Duration::from_mins(5);

const DONE: &str = "This is done. You can close this page and go back to the program.";
const NOT_HERE: &str = "There is nothing here.";

/// See the module.
pub(super) struct Redirect {
    listener: TcpListener,
    uri: String,
    url: Url,
}

impl Redirect {
    /// Listens at this URI, or on a free port.
    pub(super) async fn bind(uri: Option<&str>) -> io::Result<Self> {
        let read = |uri: &str| Url::parse(uri).map_err(io::Error::other);
        let given = uri.map(read).transpose()?;
        let port = given.as_ref().map_or(Some(0), Url::port_or_known_default);
        let host = given.as_ref().and_then(Url::host_str).unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        // A name is that of this machine, whose browsers try this one too.
        let ip = host.parse().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let listener = TcpListener::bind((ip, port.unwrap_or_default())).await?;
        let free = format!("http://{}/callback", listener.local_addr()?);
        // As it was written: authorization servers compare texts.
        let uri = uri.map_or(free, str::to_owned);
        let url = read(&uri)?;
        Ok(Self { listener, uri, url })
    }

    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// Waits for the browser, and returns where it was sent. Requests without our `state` are somebody else's.
    pub(super) async fn wait(self, state: &str) -> io::Result<String> {
        let waits = async {
            let mut connections = JoinSet::new();
            loop {
                tokio::select! {
                    accepted = self.listener.accept() => {
                        let (stream, _) = accepted?;
                        if connections.len() < MOST_CONNECTIONS {
                            let (url, state) = (self.url.clone(), state.to_owned());
                            connections.spawn(timeout(ARRIVES, answer(stream, url, state)));
                        }
                    }
                    Some(done) = connections.join_next() => {
                        if let Ok(Ok(Ok(Some(url)))) = done {
                            return Ok(url);
                        }
                    }
                }
            }
        };
        let late = || io::Error::new(io::ErrorKind::TimedOut, "nobody came back in time");
        timeout(LIMIT, waits).await.unwrap_or_else(|_| Err(late()))
    }
}

/// Answers one request. The URL that it is for, if that is ours.
async fn answer(mut stream: TcpStream, url: Url, state: String) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut part = [0; 1_024];
        let length = stream.read(&mut part).await?;
        head.extend_from_slice(part.get(..length).unwrap_or_default());
        if length == 0 || head.len() > MOST_BYTES {
            return Ok(None);
        }
    }
    let head = String::from_utf8_lossy(&head);
    let found = target(&head).and_then(|target| url.join(target).ok());
    let is_ours = |found: &Url| {
        let mut pairs = found.query_pairs();
        found.origin() == url.origin()
            && found.path() == url.path()
            && pairs.any(|(key, value)| key == "state" && value == state)
    };
    let found = found.filter(is_ours);
    let (status, text) = match found {
        Some(_) => ("200 OK", DONE),
        None => ("404 Not Found", NOT_HERE),
    };
    let length = text.len();
    let page = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\n\r\n{text}"
    );
    // A browser that does not read has been here all the same.
    let _ = stream.write_all(page.as_bytes()).await;
    let _ = stream.shutdown().await;
    Ok(found.map(String::from))
}

/// Returns the target of a request's first line.
fn target(head: &str) -> Option<&str> {
    let mut words = head.lines().next()?.split(' ');
    let target = (words.next()? == "GET").then_some(words.next()?)?;
    // `//host` would lead elsewhere.
    (target.starts_with('/') && !target.starts_with("//")).then_some(target)
}
