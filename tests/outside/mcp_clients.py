"""PyPI's `mcp` as a client of `everything`: for each way of the protocol that it speaks, over a process and
over HTTP. Usage: mcp_clients.py PROGRAM URL
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

PROGRAM, URL = sys.argv[1:]


async def elicit(_context, _params):
    return ElicitResult(action="accept", content={"name": "Ada"})


def text(result):
    return result.content[0].text


async def check(server, mode, version):
    heard = []

    async def progress(done, total, _message):
        heard.append((done, total))

    async with Client(server, mode=mode, elicitation_callback=elicit) as client:
        assert client.session.protocol_version == version, client.session.protocol_version
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[:2] == ["add", "echo"], names
        assert sum(name.startswith("odd_root_") for name in names) == 7, names

        assert text(await client.call_tool("add", {"a": 1, "b": 2})) == "3"
        # 2^53 + 1, which no `f64` holds.
        assert text(await client.call_tool("big_int", {"n": 9007199254740993})) == "9007199254740993"

        result = await client.call_tool("opt", {"name": "a"})
        assert result.structured_content == {"name": "a", "nick": None, "limit": 10}, result

        result = await client.call_tool("add", {"a": 1, "c": 2})
        assert result.is_error, result
        faults = "c: unknown argument; there are `a`, `b`\nb: missing, expected an integer"
        assert text(result) == faults, text(result)
        codes = [fault["code"] for fault in result.meta["toolwright/error"]["faults"]]
        assert codes == ["unknown_argument", "missing_argument"], result

        # Data of an error: structured content would be checked by a schema for results.
        for name, is_structured in [("decline", True), ("decline_order", False)]:
            result = await client.call_tool(name, {"cents": 5})
            error = result.meta["toolwright/error"]
            assert error["data"] == {"code": "declined"} and error["permanent"] is True, result
            assert result.structured_content == (error if is_structured else None), result

        result = await client.call_tool("test_tool_with_progress", {}, progress_callback=progress)
        assert not result.is_error and heard == [(0, 100), (50, 100), (100, 100)], heard

        result = await client.call_tool("test_input_required_result_elicitation", {})
        assert text(result) == "Hello, Ada!", result

        try:
            await client.call_tool("serch", {})
        except Exception as error:
            assert "did you mean `search`" in str(error), error
        else:
            raise AssertionError("an unknown tool was called")


async def main():
    stdio = StdioServerParameters(command=PROGRAM, args=["stdio"])
    for name, server in [("stdio", stdio), ("http", URL)]:
        for mode, version in [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")]:
            await asyncio.wait_for(check(server, mode, version), 60)
            print(f"mcp (PyPI), {name}, {version}: all as it should be")


asyncio.run(main())
