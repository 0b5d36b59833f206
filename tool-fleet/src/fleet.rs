//! A connection to the server that the machines of a fleet share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use temporalio_client::{
    Client, ClientOptions, ClientTlsOptions, Connection, ConnectionOptions, TlsOptions,
};
use url::Url;

use crate::metrics::Metrics;
use crate::payloads::{LIMIT, Payloads};
use crate::{FleetError, PayloadStore, Worker};

/// Namespace without one of the host's.
const NAMESPACE: &str = "default";

/// Machines that share tools and agents by way of a Temporal server. Cheap to clone; all clones share the connection.
///
/// A [`worker`](Self::worker) is a machine that has tools or agents. A [`toolset`](Self::toolset) has the tools of elsewhere. A
/// [`conversation`](Self::conversation) is with an agent of elsewhere.
#[derive(Clone)]
pub struct Fleet {
    pub(crate) client: Client,
    pub(crate) payloads: Payloads,
    pub(crate) settings: Settings,
    pub(crate) metrics: Metrics,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) heartbeat: Duration,
    pub(crate) queue_timeout: Duration,
    pub(crate) call_timeout: Duration,
}

/// Settings of a [`Fleet`]: made by [`Fleet::builder`].
#[must_use = "nothing is connected before `connect`"]
pub struct FleetBuilder {
    address: String,
    namespace: String,
    api_key: Option<String>,
    tls: Option<Tls>,
    payloads: Payloads,
    settings: Settings,
}

#[derive(Default)]
struct Tls {
    root: Option<Vec<u8>>,
    domain: Option<String>,
    client: Option<(Vec<u8>, Vec<u8>)>,
}

impl Fleet {
    /// Connects to a server, by its address: `http://127.0.0.1:7233`, or `127.0.0.1:7233` as Temporal's own programs write it. The
    /// namespace is `default`.
    ///
    /// # Errors
    /// If the address cannot be read, or the server cannot be reached.
    pub async fn connect(address: &str) -> Result<Self, FleetError> {
        Self::builder(address).connect().await
    }

    /// Returns settings for a connection, to change them.
    ///
    /// ```no_run
    /// use toolwright_fleet::Fleet;
    ///
    /// # async fn run(key: String) -> Result<(), Box<dyn std::error::Error>> {
    /// let fleet = Fleet::builder("https://eu.example.org:7233")
    ///     .namespace("shop")
    ///     .api_key(key)
    ///     .connect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(address: &str) -> FleetBuilder {
        FleetBuilder {
            address: address.to_owned(),
            namespace: NAMESPACE.to_owned(),
            api_key: None,
            tls: None,
            payloads: Payloads {
                store: None,
                limit: LIMIT,
            },
            settings: Settings {
                heartbeat: Duration::from_secs(15),
                queue_timeout: Duration::from_secs(30),
                call_timeout: Duration::from_secs(30),
            },
        }
    }

    /// Returns a worker for this machine, which has nothing yet.
    pub fn worker(&self) -> Worker {
        Worker::new(self.clone())
    }
}

impl FleetBuilder {
    /// Sets the namespace. Default: `default`.
    pub fn namespace(self, name: impl Into<String>) -> Self {
        Self {
            namespace: name.into(),
            ..self
        }
    }

    /// Sets the key that the server asks for. The connection has TLS then.
    pub fn api_key(self, key: impl Into<String>) -> Self {
        Self {
            api_key: Some(key.into()),
            ..self
        }
    }

    fn with_tls(mut self, change: impl FnOnce(&mut Tls)) -> Self {
        change(self.tls.get_or_insert_default());
        self
    }

    /// Uses TLS, with the system's certificates.
    pub fn tls(self) -> Self {
        self.with_tls(|_| {})
    }

    /// Uses TLS, and trusts this certificate of an authority, in PEM.
    pub fn tls_root(self, certificate: impl Into<Vec<u8>>) -> Self {
        let certificate = certificate.into();
        self.with_tls(|tls| tls.root = Some(certificate))
    }

    /// Uses TLS, and expects this name in the server's certificate.
    pub fn tls_domain(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.with_tls(|tls| tls.domain = Some(name))
    }

    /// Uses TLS, and shows the server this certificate, with its private key, both in PEM.
    pub fn tls_client(self, certificate: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        let both = (certificate.into(), key.into());
        self.with_tls(|tls| tls.client = Some(both))
    }

    /// Sets the store of payloads with more than `limit` bytes of JSON: arguments, results, and what people say. All machines of
    /// a fleet need the same store. The smallest useful limit is some KiB, 256 KiB a usual one.
    ///
    /// Default: none. A payload of more than 2 MB is an error then.
    pub fn payloads(self, store: impl PayloadStore + 'static, limit: usize) -> Self {
        Self {
            payloads: Payloads {
                store: Some(Arc::new(store)),
                limit,
            },
            ..self
        }
    }

    /// Sets how long a call or a run that this process starts may go without a sign of life. Default: 15 s. After that its
    /// machine counts as dead. At least a second; on busy machines a few are too short.
    pub fn heartbeat(mut self, limit: Duration) -> Self {
        self.settings.heartbeat = limit.max(Duration::from_secs(1));
        self
    }

    /// Sets how long a call waits for a worker. Default: 30 s.
    pub fn queue_timeout(mut self, limit: Duration) -> Self {
        self.settings.queue_timeout = limit;
        self
    }

    /// Sets the time limit of calls of remote tools without a `timeout` of their own. Default: 30 s. It begins on the worker.
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.settings.call_timeout = limit;
        self
    }

    /// Connects.
    ///
    /// # Errors
    /// If the address cannot be read, or the server cannot be reached.
    pub async fn connect(self) -> Result<Fleet, FleetError> {
        let address = if self.address.contains("://") {
            self.address
        } else {
            let has_tls = self.tls.is_some() || self.api_key.is_some();
            let scheme = if has_tls { "https" } else { "http" };
            format!("{scheme}://{}", self.address)
        };
        let target = Url::parse(&address).map_err(|error| FleetError::Address {
            message: error.to_string(),
        })?;
        if target.host_str().is_none() {
            return Err(FleetError::Address {
                message: "it has no host".to_owned(),
            });
        }
        // The address may have a password.
        let shown = format!(
            "{}:{}",
            target.host_str().unwrap_or_default(),
            target.port_or_known_default().unwrap_or_default()
        );
        let tls = self.tls.map(|tls| {
            let client = tls.client.map(|(certificate, key)| {
                ClientTlsOptions::builder()
                    .client_cert(certificate)
                    .client_private_key(key)
                    .build()
            });
            TlsOptions::builder()
                .maybe_server_root_ca_cert(tls.root)
                .maybe_domain(tls.domain)
                .maybe_client_tls_options(client)
                .build()
        });
        let options = ConnectionOptions::new(target)
            .identity(format!("toolwright@{}", std::process::id()))
            .maybe_api_key(self.api_key)
            .maybe_tls_options(tls)
            .connect_timeout(Duration::from_secs(10))
            .build();
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| FleetError::Connect {
            address: shown.clone(),
            source: Arc::from(source),
        };
        let connection = Connection::connect(options).await;
        let connection = connection.map_err(|error| failed(error.into()))?;
        let client = Client::new(connection, ClientOptions::new(self.namespace).build());
        Ok(Fleet {
            client: client.map_err(|error| failed(error.into()))?,
            payloads: self.payloads,
            settings: self.settings,
            metrics: Metrics::new(),
        })
    }
}

/// What a name may be.
const RULE: &str = "it has 1 to 200 letters, digits, `.`, `_` and `-`";

/// Refuses names of queues and agents that would have another meaning to the server, or in a query.
pub(crate) fn check_name(name: &str) -> Result<(), FleetError> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
    if (1..=200).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(FleetError::Name {
        name: name.to_owned(),
        rule: RULE,
    })
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet")
            .field("namespace", &self.client.options().namespace)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for FleetBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may have a password, and keys are secret.
        f.debug_struct("FleetBuilder")
            .field("namespace", &self.namespace)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
