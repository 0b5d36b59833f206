//! Bodies of responses, with our text in its place.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use toolwright_runtime::tool::Cancel;

use crate::body::BodyPermit;
use crate::server::raw;

/// Body of a response.
pub struct HttpBody(Kind);

enum Kind {
    /// All of it, so that its length can be told.
    Whole(Full<Bytes>),
    Stream {
        body: BoxBody<Bytes, Infallible>,
        /// Ends it early.
        stop: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
        /// What the request holds until it is answered.
        _held: BodyPermit,
    },
}

impl HttpBody {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Kind::Whole(Full::new(bytes.into())))
    }

    /// What `rmcp` answers, in which each frame is a whole message, or none.
    pub(super) async fn of(
        body: BoxBody<Bytes, Infallible>,
        stop: Option<Cancel>,
        held: BodyPermit,
    ) -> Self {
        if body.size_hint().exact().is_none() {
            let stop = stop.map(|stop| Box::pin(async move { stop.cancelled().await }) as _);
            return Self(Kind::Stream {
                body,
                stop,
                _held: held,
            });
        }
        match body.collect().await {
            Ok(body) => Self::whole(spliced(body.to_bytes())),
            Err(never) => match never {},
        }
    }
}

fn spliced(data: Bytes) -> Bytes {
    match raw::splice(&data) {
        Cow::Borrowed(_) => data,
        Cow::Owned(spliced) => spliced.into(),
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Whole(body) => Pin::new(body).poll_frame(cx),
            Kind::Stream { body, stop, .. } => {
                if let Some(stop) = stop
                    && stop.as_mut().poll(cx).is_ready()
                {
                    return Poll::Ready(None);
                }
                let frame = Pin::new(body).poll_frame(cx);
                frame.map_ok(|frame| frame.map_data(spliced))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(body) => body.is_end_stream(),
            Kind::Stream { body, .. } => body.is_end_stream(),
        }
    }

    /// Of a stream it is not known before it is written.
    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(body) => body.size_hint(),
            Kind::Stream { .. } => SizeHint::default(),
        }
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpBody").finish_non_exhaustive()
    }
}
