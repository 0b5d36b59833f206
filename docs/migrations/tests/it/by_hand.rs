//! From `schemars` with a `match` over names.

mod after;
mod before;

use crate::check;
use crate::shop::Db;

#[test]
fn schemas() {
    let before = &before::definitions()[0]["function"]["parameters"];
    check::schemas(
        "by_hand",
        before,
        &check::schema(&after::toolset(Db::default())),
    );
}

#[tokio::test]
async fn answers() {
    let (db, tools) = (Db::default(), after::toolset(Db::default()));
    check::answers(
        "by_hand",
        async |arguments| before::call(&db, "place_order", arguments),
        async |arguments| check::ask(&tools, arguments).await,
    )
    .await;
}
