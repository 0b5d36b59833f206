//! Texts on their way through Temporal.

use std::collections::HashMap;

use temporalio_common::data_converters::{
    PayloadConversionError, SerializationContext, TemporalDeserializable, TemporalSerializable,
};
use temporalio_common::protos::temporal::api::common::v1::Payload;

/// A JSON text that travels byte for byte.
///
/// The SDK's own converter reads JSON through `serde_json::Value`, which sorts keys, drops repeated ones and rounds numbers.
#[derive(Clone)]
// The traits of activities and workflows are public.
#[allow(unreachable_pub)]
pub struct JsonPayload(pub(crate) String);

impl TemporalSerializable for JsonPayload {
    fn to_payload(&self, _: &SerializationContext<'_>) -> Result<Payload, PayloadConversionError> {
        let encoding = ("encoding".to_owned(), b"json/plain".to_vec());
        Ok(Payload {
            metadata: HashMap::from([encoding]),
            data: self.0.clone().into_bytes(),
            ..Payload::default()
        })
    }
}

impl TemporalDeserializable for JsonPayload {
    fn from_payload(
        _: &SerializationContext<'_>,
        payload: Payload,
    ) -> Result<Self, PayloadConversionError> {
        match String::from_utf8(payload.data) {
            Ok(text) => Ok(Self(text)),
            Err(error) => Err(PayloadConversionError::EncodingError(Box::new(error))),
        }
    }
}
