//! Whether the server still knows of a call that an earlier run made.
//!
//! An activity that has ended is forgotten after the namespace's retention. Its id can then be used again, and the call would run a
//! second time. The journal of the session knows when the call was first made.

use std::time::Duration;

use temporalio_client::errors::ActivityInteractionError;
use temporalio_client::tonic::{Code, IntoRequest as _, Status};
use temporalio_client::{ActivityDescribeOptions, Client};
use temporalio_common::protos::temporal::api::workflowservice::v1::DescribeNamespaceRequest;

use crate::call::CallTool;

/// Clocks of machines may differ by this much.
const SKEW: Duration = Duration::from_mins(5);

/// Returns false if a call of this age may have ended and been forgotten.
pub(crate) async fn is_remembered(
    client: &Client,
    id: &str,
    age: Duration,
) -> Result<bool, Box<Status>> {
    if age.saturating_add(SKEW) < retention(client).await? {
        return Ok(true);
    }
    let handle = client.get_activity_handle(CallTool, id, None);
    let options = ActivityDescribeOptions::builder().build();
    match handle.describe(options).await {
        Err(ActivityInteractionError::NotFound(_)) => Ok(false),
        Err(ActivityInteractionError::Rpc(status)) => Err(Box::new(status)),
        // It is there, whether it can be read or not.
        Ok(_) | Err(_) => Ok(true),
    }
}

/// Returns how long the namespace keeps what has ended: no time if the server does not say, or not to this client.
async fn retention(client: &Client) -> Result<Duration, Box<Status>> {
    let request = DescribeNamespaceRequest {
        namespace: client.options().namespace.clone(),
        ..DescribeNamespaceRequest::default()
    };
    let mut service = client.connection().workflow_service();
    let described = match service.describe_namespace(request.into_request()).await {
        Err(status) if matches!(status.code(), Code::PermissionDenied | Code::Unimplemented) => {
            return Ok(Duration::ZERO);
        }
        described => described.map_err(Box::new)?,
    };
    let config = described.into_inner().config;
    let kept = config.and_then(|config| config.workflow_execution_retention_ttl);
    Ok(kept
        .and_then(|kept| Duration::try_from(kept).ok())
        .unwrap_or_default())
}
