// How do I hide a tool from some users?

use toolwright::call::Scope;
use toolwright::{Context, Encoder, ToolCall, Toolset, tool, tools};

#[derive(PartialEq)]
enum Role {
    Guest,
    Admin,
}

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.get::<Role>() == Some(&Role::Admin)
}

/// Read the names of the users.
#[tool(read_only)]
fn list_users() -> Vec<&'static str> {
    vec!["Ada", "Bob"]
}

/// Delete a user.
#[tool(destructive, visible = is_admin)]
fn delete_user(name: &str) -> String {
    format!("{name} is gone")
}

fn try_it(tools: &Toolset, role: Role) {
    // The host says who asks; no model writes this.
    let cx = Context::new().with(role);
    // What to send to the model. An executor and an agent do this by themselves.
    let visible = tools.visible(&cx.scope());
    let names: Vec<_> = visible.definitions().map(|def| &*def.name).collect();
    println!("{}", names.join(", "));

    let call = ToolCall::new("call_1", "delete_user", r#"{"name": "Bob"}"#);
    let result = tools.call_blocking(&call, &cx);
    println!("{}", result.content(Encoder::auto()));
}

fn main() {
    let tools = tools![list_users, delete_user];
    try_it(&tools, Role::Guest);
    try_it(&tools, Role::Admin);
}

// Prints:
// list_users
// unknown tool `delete_user`
// list_users, delete_user
// Bob is gone
