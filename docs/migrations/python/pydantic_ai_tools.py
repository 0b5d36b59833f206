"""The tool of the page, with pydantic-ai. Prints its schema and its answers to the calls of `calls.json`, as JSON."""

import json
from pathlib import Path

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from shop import Db, NoArticle

CALLS = json.loads((Path(__file__).parent.parent / "calls.json").read_text())

# ANCHOR: before
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelRetry, RunContext


class Customer(BaseModel):
    """Who pays"""

    name: str = Field(description="Full name")
    country: str | None = Field(None, description="Two-letter country code")


class Speed(str, Enum):
    NORMAL = "normal"
    EXPRESS = "express"


class Receipt(BaseModel):
    number: int
    total: int
    bill_to: str


agent = Agent(deps_type=Db, instructions="You work for a shop.", retries=3)


@agent.tool
def place_order(
    ctx: RunContext[Db],
    sku: str,
    customer: Customer,
    quantity: Annotated[int, Field(ge=0, le=255)] = 1,
    speed: Speed = Speed.NORMAL,
) -> Receipt:
    """Place an order.

    Args:
        sku: Article number
        customer: Who pays
        quantity: How many
        speed: How fast it is sent
    """
    try:
        number, total = ctx.deps.order(sku, quantity, speed is Speed.EXPRESS)
    except NoArticle as error:
        raise ModelRetry(str(error)) from error
    name, country = customer.name, customer.country
    return Receipt(number=number, total=total, bill_to=f"{name}, {country}" if country else name)


def run(model, db: Db, prompt: str) -> str:
    return agent.run_sync(prompt, model=model, deps=db).output
# ANCHOR_END: before


def asked(db, arguments):
    """The definition that a model gets, and the part that it reads after one call."""
    seen = []

    def model(messages, info):
        seen.append((info.function_tools[0], messages[-1].parts[0]))
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("place_order", arguments)])
        return ModelResponse(parts=[TextPart("done")])

    assert run(FunctionModel(model), db, "Please.") == "done"
    tool, part = seen[-1]
    kind = "result" if part.outcome == "success" else "error"
    return tool, {"kind": kind, "text": part.model_response_str()}


def main():
    db, answers, tool = Db(), [], None
    for arguments in CALLS["equal"] + CALLS["shown"]:
        tool, answer = asked(db, json.dumps(arguments))
        answers.append(answer)
    print(json.dumps({
        "name": tool.name,
        "description": tool.description,
        "schema": tool.parameters_json_schema,
        "answers": answers,
    }))


main()
