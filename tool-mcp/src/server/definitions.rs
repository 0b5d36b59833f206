//! `tools/list`: definitions, a page at a time.

use toolwright_json::{ObjectWriter, list};
use toolwright_provider::call::ToolDef;
use toolwright_provider::definitions::{Notice, NoticeKind, sent_definitions};
use toolwright_provider::dialect::object_root;
use toolwright_provider::wire::Wire;
use toolwright_runtime::toolset::Toolset;

use super::Shared;
use super::caller::Caller;
use super::dispatch::Answered;
use crate::protocol::{Fields, RpcError, Version};

/// `tools/list`.
pub(super) fn page(shared: &Shared, caller: &Caller, params: &Fields<'_>) -> Answered {
    let tools = shared.executor.tools(&caller.cx);
    // Clients refuse a whole list for one tool whose arguments are not objects.
    let is_listed = |def: &&ToolDef| object_root(&def.input, true).is_ok();
    let defs: Vec<&ToolDef> = sent_definitions(&tools).filter(is_listed).collect();
    let wire = wire(caller.version);
    list_page(shared, caller, params, "tools", &defs, |def| {
        wire.definition(def).into_string()
    })
}

/// Returns notices of the tools that the list leaves out.
pub(super) fn notices(tools: &Toolset) -> Vec<Notice> {
    let refused = sent_definitions(tools).filter_map(|def| {
        let reject = object_root(&def.input, true).err()?;
        Some(Notice::of_rejected(
            &*def.name,
            NoticeKind::Refused,
            &reject,
        ))
    });
    refused.collect()
}

/// The page of a list that the client asks for. A cursor says behind which entry it begins; where that is gone, at which
/// place.
pub(super) fn list_page(
    shared: &Shared,
    caller: &Caller,
    params: &Fields<'_>,
    key: &str,
    defs: &[&ToolDef],
    json: impl Fn(&ToolDef) -> String,
) -> Answered {
    let start = match params.some("cursor") {
        Some(_) => {
            let start = params
                .text("cursor")
                .and_then(|cursor| start(&cursor, defs));
            start.ok_or_else(|| RpcError::invalid_params("the cursor is none of this server's"))?
        }
        None => 0,
    };
    let rest = defs.get(start..).unwrap_or_default();
    let page = rest.get(..shared.page).unwrap_or(rest);
    let listed = page.iter().map(|def| json(def));
    let next = page.last().filter(|_| page.len() < rest.len());
    let next = next.map(|last| format!("{}:{}", start + page.len(), last.name));
    let result = if caller.version.is_modern() {
        // Whoever asks may see others.
        let result = shared.complete().json("ttlMs", "0");
        result.text("cacheScope", "private")
    } else {
        ObjectWriter::new()
    };
    let result = result.json(key, &list(listed));
    Ok(result.maybe_text("nextCursor", next.as_deref()).end())
}

pub(super) fn wire(version: Version) -> Wire {
    if version.is_modern() {
        Wire::Mcp2026
    } else {
        Wire::Mcp
    }
}

fn start(cursor: &str, defs: &[&ToolDef]) -> Option<usize> {
    let (place, name) = cursor.split_once(':')?;
    let place: usize = place.parse().ok()?;
    match defs.iter().position(|def| def.name == name) {
        Some(found) => Some(found + 1),
        None => Some(place),
    }
}
