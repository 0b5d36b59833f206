use std::time::Duration;

/// What a server takes from its clients. All else is refused, with an error that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// How many bytes a message may have: a line, or the body of a request. Of a longer one no more is
    /// held. 16 MiB if nothing is said; a call's arguments have [a limit](toolwright_runtime::Limits)
    /// of their own. Over HTTP no more than 256 MiB of requests of over 64 KiB are held at once, each until
    /// it is answered; what finds no room is refused with status 503. On a pipe the same goes for all requests.
    pub message: usize,
    /// How many requests of one client may wait for their answers, on a pipe. 4,096 if nothing is
    /// said.
    pub in_flight: usize,
    /// How many sessions there may be over HTTP. 1,024 if nothing is said.
    pub sessions: usize,
    /// How long a session may be without a request before it ends; it ends before it was idle for an eighth
    /// longer. A person who is asked may take [`answer`](Self::answer), if that is more. 5 minutes if nothing
    /// is said.
    pub idle: Duration,
    /// How long the body of a request may take to arrive. 30 s if nothing is said.
    pub body: Duration,
    /// How long a person may take to answer what a call asks. 10 minutes if nothing is said.
    pub answer: Duration,
    /// How long calls may go on after a client has closed its pipe, or the server is told to stop. Then
    /// they are cancelled, and those that end within 2 s are answered. On a pipe, also how long the client
    /// may take to read the answers that are left. 10 s if nothing is said.
    pub grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            message: 16 * 1024 * 1024,
            in_flight: 4096,
            sessions: 1024,
            idle: Duration::from_mins(5),
            body: Duration::from_secs(30),
            answer: Duration::from_mins(10),
            grace: Duration::from_secs(10),
        }
    }
}
