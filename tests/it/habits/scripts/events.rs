//! The events of a script, in the form of each wire.

use serde_json::{Value, json};
use toolwright::Wire;

use super::Script;

impl Script {
    pub(super) fn events(&self, wire: Wire) -> Vec<Value> {
        let mut events = Vec::new();
        for attempt in 0..self.attempts {
            let is_last = attempt + 1 == self.attempts;
            let whole = match wire {
                Wire::OpenAiChat => self.chat(attempt),
                Wire::OpenAiResponses => self.responses(attempt),
                Wire::Anthropic => self.anthropic(),
                Wire::Gemini => self.gemini(attempt),
                Wire::Ollama => self.ollama(),
                _ => self.bedrock(),
            };
            let kept = if is_last {
                whole.len()
            } else {
                whole.len() - 1
            };
            events.extend(whole.into_iter().take(kept));
        }
        events
    }

    fn chat(&self, attempt: u8) -> Vec<Value> {
        let mut deltas = vec![json!({"role": "assistant"}), json!({})];
        if self.thinks {
            deltas.push(json!({"reasoning": "Hm"}));
        }
        for (at, piece) in self.pieces().enumerate() {
            let is_parts = self.key == "content" && self.forms[at % self.forms.len()];
            let piece = if is_parts {
                json!([{"type": "text", "text": piece}])
            } else {
                json!(piece)
            };
            deltas.push(json!({self.key: piece}));
        }
        if self.empty_end {
            deltas.push(json!({"content": ""}));
        }
        for at in 0..self.calls {
            let call = |function: Value| json!({"tool_calls": [{"index": at, "id": (self.id)(at), "type": "function", "function": function}]});
            deltas.push(call(json!({"name": "now", "arguments": ""})));
            for piece in ["{\"n\":", "1}"] {
                deltas
                    .push(json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]}));
            }
        }
        let mut events = Vec::new();
        for (at, mut delta) in deltas.into_iter().enumerate() {
            if self.channel {
                delta["channel"] = json!("final");
            }
            let id = if self.event_ids {
                format!("{attempt}-{at}")
            } else {
                attempt.to_string()
            };
            events.push(
                json!({"id": id, "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}),
            );
        }
        if self.usage {
            events.push(json!({"id": "u", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}));
        }
        events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        events
    }

    fn responses(&self, attempt: u8) -> Vec<Value> {
        let mut events = vec![
            json!({"type": "response.created", "response": {"id": attempt.to_string(), "output": []}}),
        ];
        let item = |kind: &str, at: usize, item: &Value| json!({"type": format!("response.output_item.{kind}"), "output_index": at, "item": item});
        let mut at = 0;
        if self.thinks {
            events.push(item(
                "done",
                at,
                &json!({"type": "reasoning", "id": "r", "encrypted_content": "e"}),
            ));
            at += 1;
        }
        if self.pieces().next().is_some() {
            let message = |content: Value| json!({"type": "message", "role": "assistant", "id": "m", "content": content});
            events.push(item("added", at, &message(json!([]))));
            for piece in self.pieces().filter(|_| !self.only_done) {
                events.push(json!({"type": "response.output_text.delta", "output_index": at, "delta": piece}));
            }
            events.push(item(
                "done",
                at,
                &message(json!([{"type": "output_text", "text": self.text()}])),
            ));
            at += 1;
        }
        for call in 0..self.calls {
            let call = |arguments: &str| json!({"type": "function_call", "id": "f", "call_id": (self.id)(call), "name": "now", "arguments": arguments});
            events.push(item("added", at, &call("")));
            events.push(json!({"type": "response.function_call_arguments.delta", "output_index": at, "delta": "{\"n\":"}));
            events.push(item("done", at, &call("{\"n\":1}")));
            at += 1;
        }
        events.push(json!({"type": "response.completed", "response": {"id": attempt.to_string(), "status": "completed", "output": []}}));
        events
    }

    fn anthropic(&self) -> Vec<Value> {
        let mut events =
            vec![json!({"type": "message_start", "message": {"role": "assistant", "content": []}})];
        let mut index = 0;
        let mut block = |begun: Value, deltas: Vec<Value>| {
            events.push(
                json!({"type": "content_block_start", "index": index, "content_block": begun}),
            );
            events.extend(deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
            events.push(json!({"type": "content_block_stop", "index": index}));
            index += 1;
        };
        let text = json!({"type": "text", "text": ""});
        if let Some(blank) = self.blank {
            block(
                text.clone(),
                vec![json!({"type": "text_delta", "text": blank})],
            );
        }
        if self.thinks {
            block(
                json!({"type": "thinking", "thinking": ""}),
                vec![json!({"thinking": "Hm"}), json!({"signature": "s"})],
            );
        }
        if self.hosted {
            block(
                json!({"type": "server_tool_use", "id": "h", "name": "web_search", "input": {}}),
                vec![json!({"partial_json": "{}"})],
            );
            block(
                json!({"type": "web_search_tool_result", "tool_use_id": "h", "content": []}),
                Vec::new(),
            );
        }
        if !self.words.is_empty() {
            block(
                text,
                self.words
                    .iter()
                    .map(|piece| json!({"type": "text_delta", "text": piece}))
                    .collect(),
            );
        }
        for at in 0..self.calls {
            let pieces = ["{\"n\":", "1}"].map(|piece| json!({"partial_json": piece}));
            block(
                json!({"type": "tool_use", "id": (self.id)(at), "name": "now", "input": {}}),
                pieces.to_vec(),
            );
        }
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
        events
    }

    fn bedrock(&self) -> Vec<Value> {
        let mut events = vec![json!({"messageStart": {"role": "assistant"}})];
        let mut index = 0;
        let mut block = |begun: Value, deltas: Vec<Value>| {
            if !begun.is_null() {
                events.push(
                    json!({"contentBlockStart": {"contentBlockIndex": index, "start": begun}}),
                );
            }
            events.extend(deltas.into_iter().map(
                |delta| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}}),
            ));
            events.push(json!({"contentBlockStop": {"contentBlockIndex": index}}));
            index += 1;
        };
        if let Some(blank) = self.blank {
            block(Value::Null, vec![json!({"text": blank})]);
        }
        if self.thinks {
            block(
                Value::Null,
                vec![
                    json!({"reasoningContent": {"text": "Hm"}}),
                    json!({"reasoningContent": {"signature": "s"}}),
                ],
            );
        }
        if self.hosted {
            block(
                json!({"toolUse": {"toolUseId": "h", "name": "web", "type": "server_tool_use"}}),
                vec![json!({"toolUse": {"input": "{}"}})],
            );
            block(
                json!({"toolResult": {"toolUseId": "h", "status": "success"}}),
                vec![json!({"toolResult": [{"text": "a"}]})],
            );
        }
        if !self.words.is_empty() {
            block(
                Value::Null,
                self.words
                    .iter()
                    .map(|piece| json!({"text": piece}))
                    .collect(),
            );
        }
        for at in 0..self.calls {
            let pieces = ["{\"n\":", "1}"].map(|piece| json!({"toolUse": {"input": piece}}));
            block(
                json!({"toolUse": {"toolUseId": (self.id)(at), "name": "now"}}),
                pieces.to_vec(),
            );
        }
        events.push(json!({"messageStop": {"stopReason": "end_turn"}}));
        events
    }

    fn gemini(&self, attempt: u8) -> Vec<Value> {
        let mut parts = vec![json!({"text": ""})];
        if self.thinks {
            parts.push(json!({"text": "Hm", "thought": true}));
        }
        parts.extend(self.pieces().map(|piece| {
            if self.signs {
                json!({"text": piece, "thoughtSignature": "s"})
            } else {
                json!({"text": piece})
            }
        }));
        for at in 0..self.calls {
            let mut call =
                json!({"functionCall": {"name": "now", "args": {"n": 1}}, "thoughtSignature": "s"});
            let id = (self.id)(at);
            if !id.is_empty() {
                call["functionCall"]["id"] = json!(id);
            }
            parts.push(call);
        }
        let part = |part| json!({"responseId": attempt.to_string(), "candidates": [{"content": {"role": "model", "parts": [part]}}]});
        let mut events: Vec<_> = parts.into_iter().map(part).collect();
        // An attempt is seen to be another by an id that was repeated.
        events.insert(
            1,
            json!({"responseId": attempt.to_string(), "candidates": [{}]}),
        );
        events.push(
            json!({"responseId": attempt.to_string(), "candidates": [{"finishReason": "STOP"}]}),
        );
        events
    }

    fn ollama(&self) -> Vec<Value> {
        let line = |mut message: Value| {
            message["role"] = json!("assistant");
            json!({"message": message, "done": false})
        };
        let mut events = Vec::new();
        if self.thinks {
            events.push(line(json!({"content": "", "thinking": "Hm"})));
        }
        events.extend(self.pieces().map(|piece| line(json!({"content": piece}))));
        for at in 0..self.calls {
            let call =
                json!({"id": (self.id)(at), "function": {"name": "now", "arguments": {"n": 1}}});
            events.push(line(json!({"content": "", "tool_calls": [call]})));
        }
        events.push(json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"}));
        events
    }
}
