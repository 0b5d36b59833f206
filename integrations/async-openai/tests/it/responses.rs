use async_openai::types::responses::{CreateResponse, InputParam, Response, ResponseStreamEvent};
use futures_util::StreamExt;
use serde_json::{Value, json};
use toolwright::{Context, DynTool, Executor, ToolDef, Toolset, Wire};
use toolwright_async_openai::ResponsesTools;

use crate::fake_provider::{FakeProvider, events, json};
use crate::{client, strict_schemas, tools};

fn response(output: &[Value]) -> Value {
    json!({
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-5",
        "output": output, "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
    })
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({
        "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
        "arguments": arguments, "status": "completed",
    })
}

fn said(text: &str) -> Value {
    // async-openai sends `logprobs` in any case.
    json!({
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": null}],
    })
}

fn answered(id: &str, output: impl Into<Value>) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": output.into()})
}

fn request(responses: &ResponsesTools) -> CreateResponse {
    CreateResponse {
        model: Some("gpt-5".into()),
        tools: Some(responses.tools()),
        ..Default::default()
    }
}

async fn run(provider: &FakeProvider) -> Response {
    let (client, tools) = (client(provider), tools());
    let (executor, responses) = (
        Executor::parallel(&tools, 8),
        ResponsesTools::new(&tools).unwrap(),
    );
    let cx = Context::new();
    let (mut request, mut input) = (request(&responses), Vec::new());
    loop {
        request.input = InputParam::Items(input.clone());
        let response = client.responses().create(request.clone()).await.unwrap();
        let batch = executor
            .run(&responses.calls(&response).unwrap(), &cx)
            .await;
        if batch.calls().is_empty() {
            break response;
        }
        input.extend(responses.turn(&response, batch.results()).unwrap());
    }
}

#[tokio::test]
async fn a_model_corrects_its_call() {
    let reasoning = json!({
        "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA",
    });
    let wrong = call("c1", "weather", r#"{"city": "Oslo",  "days": 70}"#);
    let right = call("c2", "weather", r#"{"city": "Oslo", "days": 7}"#);
    let provider = FakeProvider::start([
        json(&response(&[reasoning.clone(), wrong.clone()])),
        json(&response(std::slice::from_ref(&right))),
        json(&response(&[said("Sun.")])),
    ]);
    let last = run(&provider).await;
    assert_eq!(last.output_text().as_deref(), Some("Sun."));

    let requests = provider.requests();
    let names = [
        ("weather", "Says how the weather will be."),
        ("open", "Opens a door."),
        ("chart", "Draws a chart."),
    ];
    let declared = names.iter().zip(strict_schemas());
    let declared = declared.map(|((name, description), schema)| {
        json!({
            "type": "function", "name": name, "description": description, "parameters": schema,
            "strict": true,
        })
    });
    assert_eq!(requests[0]["tools"], declared.collect::<Value>());
    let input = json!([
        reasoning,
        wrong,
        answered("c1", "days: expected an integer from 1 to 7, got 70"),
        right,
        answered("c2", "7 days of sun in Oslo"),
    ]);
    assert_eq!(requests[2]["input"], input);
}

#[tokio::test]
async fn every_call_of_a_turn_is_answered() {
    let output = [
        said("Let me see."),
        call("c1", "weather", r#"{"city": "Rome", "days": 2}"#),
        call("c2", "open", r#"{"door": "back"}"#),
        call("c3", "wether", "{}"),
        call("c4", "chart", r#"{"bars": [{"key": "a", "value": 1}]}"#),
    ];
    let provider =
        FakeProvider::start([json(&response(&output)), json(&response(&[said("Done.")]))]);
    run(&provider).await;
    let input = provider.requests()[1]["input"].clone();
    let input = input.as_array().unwrap();
    assert_eq!(input[..5], output);
    let chart = json!([
        {"type": "input_text", "text": "{\"a\": 1}"},
        {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,iVBORw0KGgo="},
    ]);
    let unknown = "unknown tool `wether`; did you mean `weather`?";
    let answers = [
        answered("c1", "2 days of sun in Rome"),
        answered("c2", "the back door is locked"),
        answered("c3", unknown),
        answered("c4", chart),
    ];
    assert_eq!(input[5..], answers);
}

#[tokio::test]
async fn a_streamed_response_comes_whole_at_its_end() {
    let call = call("c1", "weather", r#"{"city": "Oslo", "days": 1}"#);
    let begun = json!({
        "type": "response.function_call_arguments.delta", "sequence_number": 1, "item_id": "fc_c1",
        "output_index": 0, "delta": "{\"city\": ",
    });
    let completed = json!({
        "type": "response.completed", "sequence_number": 2, "response": response(&[call]),
    });
    let text = format!(
        "event: response.function_call_arguments.delta\ndata: {begun}\n\n\
         event: response.completed\ndata: {completed}\n\n"
    );
    let provider = FakeProvider::start([events(text)]);
    let (client, tools) = (client(&provider), tools());
    let responses = ResponsesTools::new(&tools).unwrap();
    let mut events = client
        .responses()
        .create_stream(request(&responses))
        .await
        .unwrap();
    let mut whole = None;
    while let Some(event) = events.next().await {
        if let ResponseStreamEvent::ResponseCompleted(event) = event.unwrap() {
            whole = Some(event.response);
        }
    }
    let calls = responses.calls(&whole.unwrap()).unwrap();
    assert_eq!(&*calls[0].id, "c1");
    let executor = Executor::serial(&tools);
    let batch = executor.run(&calls, &Context::new()).await;
    let answers = responses.answers(batch.results()).unwrap();
    let answers = serde_json::to_value(answers).unwrap();
    assert_eq!(answers, json!([answered("c1", "1 days of sun in Oslo")]));
}

#[test]
fn extras_that_async_openai_knows_are_sent() {
    let extras = json!({"defer_loading": true, "unheard_of": 1});
    let tool = DynTool::declare(ToolDef::new("wait", "Waits."));
    let tool = tool.with_extras(Wire::OpenAiResponses, extras).unwrap();
    let declared = ResponsesTools::new(&Toolset::new([tool]).unwrap()).unwrap();
    let declared = serde_json::to_value(declared.tools()).unwrap();
    assert_eq!(declared[0]["defer_loading"], true);
    assert_eq!(declared[0].get("unheard_of"), None);
}
