"""The tool of the page, with FastMCP. Prints its schema and its answers to the calls of `calls.json`, as JSON."""

import asyncio
import json
from pathlib import Path

from fastmcp import Client

from shop import Db, NoArticle

CALLS = json.loads((Path(__file__).parent.parent / "calls.json").read_text())

# ANCHOR: before
from enum import Enum
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import BaseModel, Field


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


mcp = FastMCP("shop")
db = Db()


@mcp.tool
def place_order(
    sku: Annotated[str, Field(description="Article number")],
    customer: Customer,
    quantity: Annotated[int, Field(ge=0, le=255, description="How many")] = 1,
    speed: Annotated[Speed, Field(description="How fast it is sent")] = Speed.NORMAL,
) -> Receipt:
    """Place an order."""
    try:
        number, total = db.order(sku, quantity, speed is Speed.EXPRESS)
    except NoArticle as error:
        raise ToolError(str(error)) from error
    name, country = customer.name, customer.country
    return Receipt(number=number, total=total, bill_to=f"{name}, {country}" if country else name)


# `mcp.run()` serves it on the standard input and output.
# ANCHOR_END: before


async def main():
    async with Client(mcp) as client:
        (tool,) = await client.list_tools()
        answers = []
        for arguments in CALLS["equal"] + CALLS["shown"]:
            result = await client.call_tool_mcp("place_order", arguments)
            text = "\n".join(block.text for block in result.content)
            answers.append({"kind": "error" if result.is_error else "result", "text": text})
    print(json.dumps({
        "name": tool.name,
        "description": tool.description,
        "schema": tool.input_schema,
        "output": tool.output_schema,
        "answers": answers,
    }))


asyncio.run(main())
