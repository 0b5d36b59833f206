//! An MCP server of nine tools, a prompt and a resource, by rmcp's macros.

#[path = "../../desk.rs"]
mod desk;

use std::error::Error;
use std::sync::Arc;

use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ResourceTemplate, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{
    RoleServer, ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router, tool,
    tool_handler, tool_router,
};
use schemars::{JsonSchema as Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::desk::{
    Address, Article, Articles, Fault, Line, Order, Orders, Report, Search, Shop, State,
};

impl From<Fault> for ErrorData {
    fn from(fault: Fault) -> Self {
        Self::invalid_params(fault.to_string(), Some(fault.data()))
    }
}

fn order_id(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "string", "pattern": "^o-[0-9]+$" })
}

fn sku(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "string", "minLength": 1, "maxLength": 20 })
}

fn day(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "string", "format": "date" })
}

fn some_day(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": ["string", "null"], "format": "date" })
}

fn some_text(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": ["string", "null"], "minLength": 1, "maxLength": 200 })
}

fn text(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "string", "minLength": 1, "maxLength": 200 })
}

fn positive(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "integer", "minimum": 1 })
}

fn limit(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "integer", "minimum": 1, "maximum": 100, "default": 20 })
}

fn one() -> u32 {
    1
}

fn twenty() -> u32 {
    20
}

#[derive(Deserialize, Schema)]
struct FindOrders {
    /// Name of the customer
    #[serde(default)]
    #[schemars(schema_with = "some_text")]
    customer: Option<String>,
    #[serde(default)]
    state: Option<State>,
    /// First day
    #[serde(default)]
    #[schemars(schema_with = "some_day")]
    from: Option<String>,
    /// Last day
    #[serde(default)]
    #[schemars(schema_with = "some_day")]
    to: Option<String>,
    #[serde(default = "one")]
    #[schemars(schema_with = "positive")]
    page: u32,
    #[serde(default = "twenty")]
    #[schemars(schema_with = "limit")]
    limit: u32,
}

#[derive(Deserialize, Schema)]
struct GetOrder {
    /// Number of the order
    #[schemars(schema_with = "order_id")]
    id: String,
}

#[derive(Deserialize, Schema)]
struct PlaceOrder {
    /// Name of the customer
    #[schemars(schema_with = "text")]
    customer: String,
    address: Address,
    #[schemars(length(min = 1, max = 50))]
    lines: Vec<Line>,
    /// Today
    #[schemars(schema_with = "day")]
    day: String,
    #[serde(default)]
    #[schemars(schema_with = "some_text")]
    note: Option<String>,
}

#[derive(Deserialize, Schema)]
struct ChangeAddress {
    /// Number of the order
    #[schemars(schema_with = "order_id")]
    id: String,
    address: Address,
}

#[derive(Deserialize, Schema)]
struct CancelOrder {
    /// Number of the order
    #[schemars(schema_with = "order_id")]
    id: String,
    /// What the customer said
    #[schemars(schema_with = "text")]
    reason: String,
}

#[derive(Deserialize, Schema)]
struct Refund {
    /// Number of the order
    #[schemars(schema_with = "order_id")]
    id: String,
    #[schemars(schema_with = "positive")]
    cents: u32,
}

#[derive(Deserialize, Schema)]
struct FindArticles {
    /// Part of the title
    #[schemars(schema_with = "text")]
    text: String,
    #[serde(default = "twenty")]
    #[schemars(schema_with = "limit")]
    limit: u32,
}

#[derive(Deserialize, Schema)]
struct GetArticle {
    /// Article number
    #[schemars(schema_with = "sku")]
    sku: String,
}

#[derive(Deserialize, Schema)]
struct MakeReport {
    /// First day
    #[schemars(schema_with = "day")]
    from: String,
    /// Last day
    #[schemars(schema_with = "day")]
    to: String,
}

#[derive(Deserialize, Schema)]
struct Apology {
    /// Number of the order
    id: String,
}

#[derive(Clone)]
struct Desk {
    shop: Arc<Shop>,
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

#[tool_router]
impl Desk {
    fn new() -> Self {
        Self {
            shop: Arc::default(),
            tool_router: Self::tool_router(),
            prompt_router: Self::prompt_router(),
        }
    }

    /// Find orders, the oldest first.
    #[tool(annotations(read_only_hint = true))]
    fn find_orders(&self, Parameters(args): Parameters<FindOrders>) -> Json<Orders> {
        let search = Search {
            customer: args.customer.as_deref(),
            state: args.state,
            from: args.from.as_deref(),
            to: args.to.as_deref(),
        };
        Json(self.shop.find(&search, args.page, args.limit))
    }

    /// Read an order.
    #[tool(annotations(read_only_hint = true))]
    fn get_order(&self, Parameters(args): Parameters<GetOrder>) -> Result<Json<Order>, ErrorData> {
        Ok(Json(self.shop.order(&args.id)?))
    }

    /// Place an order.
    #[tool(annotations(destructive_hint = false))]
    fn place_order(
        &self,
        Parameters(args): Parameters<PlaceOrder>,
    ) -> Result<Json<Order>, ErrorData> {
        let PlaceOrder {
            customer,
            address,
            lines,
            day,
            note,
        } = args;
        Ok(Json(self.shop.place(customer, address, lines, day, note)?))
    }

    /// Send an open order to another address.
    #[tool(annotations(idempotent_hint = true))]
    fn change_address(
        &self,
        Parameters(args): Parameters<ChangeAddress>,
    ) -> Result<Json<Order>, ErrorData> {
        Ok(Json(self.shop.send_to(&args.id, args.address)?))
    }

    /// Cancel an open order.
    #[tool(annotations(destructive_hint = true))]
    fn cancel_order(
        &self,
        Parameters(args): Parameters<CancelOrder>,
    ) -> Result<Json<Order>, ErrorData> {
        Ok(Json(self.shop.cancel(&args.id, args.reason)?))
    }

    /// Refund a part of an order.
    #[tool(annotations(destructive_hint = true))]
    fn refund(&self, Parameters(args): Parameters<Refund>) -> Result<Json<Order>, ErrorData> {
        Ok(Json(self.shop.refund(&args.id, args.cents)?))
    }

    /// Find articles by their title.
    #[tool(annotations(read_only_hint = true))]
    fn find_articles(&self, Parameters(args): Parameters<FindArticles>) -> Json<Articles> {
        Json(self.shop.articles(&args.text, args.limit))
    }

    /// Read an article.
    #[tool(annotations(read_only_hint = true))]
    fn get_article(
        &self,
        Parameters(args): Parameters<GetArticle>,
    ) -> Result<Json<Article>, ErrorData> {
        Ok(Json(self.shop.article(&args.sku)?))
    }

    /// Sum up the orders of some days.
    #[tool(annotations(read_only_hint = true))]
    fn report(&self, Parameters(args): Parameters<MakeReport>) -> Json<Report> {
        Json(self.shop.report(&args.from, &args.to))
    }
}

#[prompt_router]
impl Desk {
    /// Write an apology for an order.
    #[prompt]
    async fn apology(&self, Parameters(args): Parameters<Apology>) -> Vec<PromptMessage> {
        let words = format!(
            "Write a short apology to the customer of order {}.",
            args.id
        );
        vec![PromptMessage::new_text(Role::User, words)]
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        ServerConfig::new(
            capabilities
                .enable_tools()
                .enable_prompts()
                .enable_resources()
                .build(),
        )
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let order = ResourceTemplate::new("orders://{id}", "order");
        Ok(ListResourceTemplatesResult::with_all_items(vec![order]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let id = request.uri.strip_prefix("orders://");
        let id = id.ok_or_else(|| ErrorData::resource_not_found(request.uri.clone(), None))?;
        let order = self.shop.order(id)?;
        let text = serde_json::to_string(&order)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let contents = ResourceContents::text(text, request.uri.clone());
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    Desk::new().serve(stdio()).await?.waiting().await?;
    Ok(())
}
