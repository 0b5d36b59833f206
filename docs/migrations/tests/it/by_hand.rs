//! From `schemars` with a `match` over names.

mod after;
mod before;
mod step;

use crate::check;
use crate::shop::Db;

#[test]
fn schemas() {
    let before = &before::definitions()[0]["function"]["parameters"];
    check::orders(
        "by_hand",
        before,
        &check::schema(&after::toolset(Db::default()), "place_order"),
    );
}

#[tokio::test]
async fn answers() {
    let (db, tools) = (Db::default(), after::toolset(Db::default()));
    check::answers(
        "by_hand",
        &[],
        async |arguments| before::call(&db, "place_order", arguments),
        async |arguments| check::ask(&tools, "place_order", arguments).await,
    )
    .await;
}

#[test]
fn schemas_of_the_first_step() {
    let before = &before::definitions()[0]["function"]["parameters"];
    let step = step::toolset(Db::default());
    check::schemas("by_hand_step", before, &check::schema(&step, "place_order"));
}

#[tokio::test]
async fn answers_of_the_first_step() {
    let (db, tools) = (Db::default(), step::toolset(Db::default()));
    check::answers(
        "by_hand",
        &[],
        async |arguments| before::call(&db, "place_order", arguments),
        async |arguments| check::ask(&tools, "place_order", arguments).await,
    )
    .await;
}
