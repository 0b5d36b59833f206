//! `tools/list`: definitions, a page at a time.

use rmcp::model::{ErrorData, ListToolsResult, PaginatedRequestParams, ProtocolVersion};
use toolwright_provider::call::ToolDef;
use toolwright_provider::definitions::sent_definitions;
use toolwright_provider::wire::Wire;
use toolwright_runtime::tool::Context;

use super::{Shared, raw};

/// The page that the client asks for. A cursor says behind which tool it begins; where that tool
/// is gone, at which place.
pub(super) fn page(
    shared: &Shared,
    cx: &Context,
    version: Option<&ProtocolVersion>,
    params: Option<PaginatedRequestParams>,
) -> Result<ListToolsResult, ErrorData> {
    let is_2026 = version.is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28);
    let wire = if is_2026 { Wire::Mcp2026 } else { Wire::Mcp };
    let tools = shared.executor.tools(cx);
    let defs: Vec<&ToolDef> = sent_definitions(&tools).collect();
    let start = match params.and_then(|params| params.cursor) {
        Some(cursor) => start(&cursor, &defs).ok_or_else(|| {
            ErrorData::invalid_params("the cursor is none of this server's", None)
        })?,
        None => 0,
    };
    let rest = defs.get(start..).unwrap_or_default();
    let page = rest.get(..shared.page).unwrap_or(rest);
    let listed = page
        .iter()
        .map(|def| raw::tool(wire.definition(def).into_string()));
    let mut result = ListToolsResult::with_all_items(listed.collect());
    if page.len() < rest.len()
        && let Some(last) = page.last()
    {
        result.next_cursor = Some(format!("{}:{}", start + page.len(), last.name));
    }
    Ok(result)
}

fn start(cursor: &str, defs: &[&ToolDef]) -> Option<usize> {
    let (place, name) = cursor.split_once(':')?;
    let place: usize = place.parse().ok()?;
    match defs.iter().position(|def| def.name == name) {
        Some(found) => Some(found + 1),
        None => Some(place),
    }
}
