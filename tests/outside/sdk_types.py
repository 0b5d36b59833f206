"""What the wires send (a file of `wire_choice::what_is_sent_is_json`), held against the providers' own types."""

import json
import sys
import typing

from pydantic import TypeAdapter

# An iterable is only validated while it is read, which pydantic cannot do for all of the SDKs' types.
typing.Iterable = typing.List


def typed(kind, value, is_ours=True):
    """The value is of that type; of what we write ourselves nothing is unknown to it."""
    validated = TypeAdapter(kind).validate_python(value)
    if is_ours:
        assert validated == value, f"{kind} leaves out something of {value}: {validated}"


def model(kind, value):
    return kind.model_validate_json(json.dumps(value))


def every_request(sent):
    yield from sent["requests"]
    if sent["one_call"]:
        yield sent["one_call"]


def known(request, params):
    """Each member of the body is a parameter of the SDK's method."""
    unknown = request.keys() - params.__annotations__.keys()
    assert not unknown, f"{params} has no {unknown}"


def openai_chat(sent):
    from openai.types import chat
    from openai.types.chat.completion_create_params import CompletionCreateParamsBase

    for request in every_request(sent):
        known(request, CompletionCreateParamsBase)
        for tool in request["tools"]:
            typed(chat.ChatCompletionFunctionToolParam, tool)
        typed(chat.ChatCompletionToolChoiceOptionParam, request["tool_choice"])
    message, *answers = sent["turn"]
    typed(chat.ChatCompletionAssistantMessageParam, message, is_ours=False)
    for answer in answers + sent["blocks"]:
        typed(chat.ChatCompletionToolMessageParam, answer)
    return len(answers)


def openai_responses(sent):
    from openai.types import responses
    from openai.types.responses.response_create_params import ResponseCreateParamsBase, ToolChoice
    from openai.types.responses.response_input_param import FunctionCallOutput

    for request in every_request(sent):
        known(request, ResponseCreateParamsBase)
        for tool in request["tools"]:
            typed(responses.FunctionToolParam, tool)
        typed(ToolChoice, request["tool_choice"])
    answers = [item for item in sent["turn"] if item["type"] == "function_call_output"]
    for answer in answers + sent["blocks"]:
        typed(FunctionCallOutput, answer)
    for item in sent["turn"]:
        if item["type"] == "function_call":
            typed(responses.ResponseFunctionToolCallParam, item)
    return len(answers)


def anthropic(sent):
    from anthropic import types
    from anthropic.types.message_create_params import MessageCreateParamsBase

    for request in every_request(sent):
        known(request, MessageCreateParamsBase)
        for tool in request["tools"]:
            typed(types.ToolParam, tool)
        typed(types.ToolChoiceParam, request["tool_choice"])
    for message in sent["turn"] + sent["blocks"]:
        typed(types.MessageParam, message, is_ours=False)
    answers = sent["turn"][-1]["content"]
    for block in answers + sent["blocks"][0]["content"]:
        typed(types.ToolResultBlockParam, block)
    return len(answers)


def gemini(sent):
    from google.genai import types

    # These models refuse what they do not know.
    for request in every_request(sent):
        for tool in request["tools"]:
            model(types.Tool, tool)
        model(types.ToolConfig, request["toolConfig"])
    content, answers = sent["turn"]
    # The part that no SDK knows yet.
    content["parts"] = [part for part in content["parts"] if "somethingNew" not in part]
    model(types.Content, content)
    model(types.Content, answers)
    model(types.Content, sent["blocks"][0])
    return len(answers["parts"])


def ollama(sent):
    from ollama import _types as types

    for request in every_request(sent):
        for tool in request.get("tools", []):
            read = model(types.Tool, tool)
            assert read.function.name == tool["function"]["name"]
    for message in sent["turn"]:
        model(types.Message, message)
    # A picture is a file's name or Base64 to this SDK, and four letters are too few for it.
    for message in sent["blocks"]:
        model(types.Message, {key: value for key, value in message.items() if key != "images"})
    return len(sent["turn"]) - 1


def bedrock(sent):
    import botocore.session
    from botocore.validate import ParamValidator

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape
    for request in every_request(sent):
        for messages in (sent["turn"], sent["blocks"]):
            params = {"modelId": "m", "messages": messages, **request}
            # It refuses what it does not know.
            report = ParamValidator().validate(params, shape)
            assert not report.has_errors(), report.generate_report()
    return len(sent["turn"][-1]["content"])


def mcp(types):
    def check(sent):
        for request in every_request(sent):
            for tool in request.get("tools", []):
                back = model(types.Tool, tool).model_dump(mode="json", by_alias=True, exclude_unset=True)
                assert back == tool, f"{types.__name__} leaves out something of {tool}: {back}"
        results = [response["result"] for response in sent["turn"]]
        for result in results + sent["blocks"]:
            back = model(types.CallToolResult, result)
            back = back.model_dump(mode="json", by_alias=True, exclude_unset=True)
            assert back == result, f"{types.__name__} leaves out something of {result}: {back}"
        for response in sent["turn"]:
            model(types.JSONRPCResultResponse, response)
        return len(results)

    return check


def main():
    from mcp_types import _v2025_11_25, _v2026_07_28

    checks = {
        "OpenAiChat": openai_chat,
        "OpenAiResponses": openai_responses,
        "Anthropic": anthropic,
        "Gemini": gemini,
        "Ollama": ollama,
        "BedrockConverse": bedrock,
        "Mcp": mcp(_v2025_11_25),
        "Mcp2026": mcp(_v2026_07_28),
    }
    with open(sys.argv[1], encoding="utf-8") as file:
        sent = json.load(file)
    assert sent.keys() == checks.keys(), f"no check for {sent.keys() ^ checks.keys()}"
    for wire, check in checks.items():
        requests = [request for request in every_request(sent[wire]) if request]
        sent[wire]["requests"], sent[wire]["one_call"] = requests, None
        answers = check(sent[wire])
        assert answers == 3, f"{wire}: {answers} answers"
        print(f"{wire}: {len(requests)} requests, {answers} answers")


main()
