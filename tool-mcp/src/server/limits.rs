use std::time::Duration;

/// Limits of a server on its clients. Anything beyond them is refused with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Maximal bytes of a message: a line, or the body of a request. Default: 16 MiB. Arguments have [a
    /// limit](toolwright_schema::decode::Limits) of their own.
    ///
    /// Over HTTP, all requests of more than 64 KiB together may hold 256 MiB until they are answered, and all answers of
    /// more than 64 KiB may hold 64 MiB until they are read; further requests get status 503. On a pipe, all requests
    /// count.
    pub message: usize,
    /// Maximal requests in flight of one client, on a pipe. Default: 4,096.
    pub in_flight: usize,
    /// Maximal sessions over HTTP. Default: 1,024.
    pub sessions: usize,
    /// Idle time after which a session ends, from the end of its last request or stream on. Default: 5 minutes.
    pub idle: Duration,
    /// Time for the body of a request to arrive. Default: 30 s.
    pub body: Duration,
    /// Time for a person to answer a question. Default: 10 minutes.
    pub answer: Duration,
    /// Time that calls in flight have after the client closes its pipe or the server is stopped. They are then cancelled;
    /// those that end within 2 s are still answered. On a pipe, a stopped server also waits this long for the client to read.
    /// Default: 10 s.
    pub grace: Duration,
    /// Time that a task is kept, from its call on, and the time limit of calls of tools that have none of their own. At most
    /// 1,024 tasks exist at a time. Beyond that, calls are answered when they end.
    /// Default: a day.
    pub task: Duration,
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
            task: Duration::from_hours(24),
        }
    }
}
