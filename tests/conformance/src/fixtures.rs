//! What the suite looks for beside our tools: its own, by name.

use std::sync::Arc;
use std::time::Duration;

use handset::mcp::{Server, forward};
use handset::request::Request;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ListToolsResult, PaginatedRequestParams, ResourceContents, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

/// A red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// Our server, and the suite's tools beside ours.
#[derive(Clone, Debug)]
pub(crate) struct Fixtures {
    server: Server,
}

impl Fixtures {
    pub(crate) fn beside(server: Server) -> Self {
        Self { server }
    }
}

fn object(value: Value) -> Arc<Map<String, Value>> {
    match value {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

fn tools() -> Vec<Tool> {
    let plain = || object(json!({ "type": "object", "properties": {}, "additionalProperties": false }));
    let full = object(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    }));
    vec![
        Tool::new("test_simple_text", "Answers with text", plain()),
        Tool::new("test_image_content", "Answers with an image", plain()),
        Tool::new("test_embedded_resource", "Answers with a resource", plain()),
        Tool::new("test_multiple_content_types", "Answers with text, an image and a resource", plain()),
        Tool::new("test_error_handling", "Fails", plain()),
        Tool::new("test_tool_with_progress", "Reports progress", plain()),
        Tool::new("json_schema_2020_12_tool", "Has a schema with much in it", full),
    ]
}

fn resource(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime_type))
}

fn answer(name: &str) -> Option<CallToolResult> {
    Some(match name {
        "test_simple_text" => {
            CallToolResult::success(vec![ContentBlock::text("This is a simple text response for testing.")])
        }
        "test_image_content" => CallToolResult::success(vec![ContentBlock::image(PNG, "image/png")]),
        "test_embedded_resource" => CallToolResult::success(vec![resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => CallToolResult::success(vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]),
        "test_error_handling" => {
            CallToolResult::error(vec![ContentBlock::text("This tool intentionally returns an error for testing")])
        }
        "json_schema_2020_12_tool" => CallToolResult::success(vec![ContentBlock::text("taken")]),
        _ => return None,
    })
}

/// Through the forwarder and the request that our own tools report with.
async fn with_progress(context: &RequestContext<RoleServer>) -> CallToolResult {
    let (sink, forwarder) = forward(context);
    let request = Request::new(context.ct.clone(), sink);
    for done in [0.0, 50.0, 100.0] {
        request.progress(done, Some(100.0), format!("{done} of 100"));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(request);
    forwarder.done().await;
    CallToolResult::success(vec![ContentBlock::text("done")])
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.server.list_tools(page, context).await?;
        listed.tools.extend(tools());
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name).or_else(|| self.server.get_tool(name))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if params.name == "test_tool_with_progress" {
            return Ok(with_progress(&context).await.into());
        }
        match answer(&params.name) {
            Some(result) => Ok(result.into()),
            None => self.server.call_tool(params, context).await,
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.server.on_custom_request(request, context).await
    }
}
