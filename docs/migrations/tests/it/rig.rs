//! From `rig`.

mod after;
mod before;

use rig_core::tool::{ErasedTool, ToolContext};

use crate::check::{self, Answer};
use crate::shop::Db;

#[test]
fn schemas() {
    let before = ErasedTool::parameters(&before::PlaceOrder { db: Db::default() });
    check::schemas(
        "rig",
        &before,
        &check::schema(&after::toolset(Db::default())),
    );
}

async fn execute(tool: &impl ErasedTool, arguments: &str) -> Answer {
    let result = tool
        .execute(arguments.to_owned(), &mut ToolContext::new())
        .await;
    let text = result.output().render();
    if result.is_success() {
        Ok(text)
    } else {
        Err(text)
    }
}

#[tokio::test]
async fn answers() {
    let (tool, tools) = (
        before::PlaceOrder { db: Db::default() },
        after::toolset(Db::default()),
    );
    check::answers(
        "rig",
        async |arguments| execute(&tool, arguments).await,
        async |arguments| check::ask(&tools, arguments).await,
    )
    .await;
}
