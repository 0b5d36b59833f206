"""PyPI's `fastmcp` as a client of `everything`: for each way of the protocol that it speaks, over a process and over
HTTP, with a server that is started again. Usage: mcp_fastmcp.py PROGRAM
"""

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

PROGRAM = sys.argv[1]


class Server:
    """`everything` over HTTP, which can be started again at the same place."""

    def __enter__(self):
        self.start("127.0.0.1:0")
        return self

    def __exit__(self, *_):
        self.end()

    def start(self, listen):
        self.process = subprocess.Popen(
            [PROGRAM, "http", "--listen", listen], stderr=subprocess.PIPE, text=True
        )
        line = self.process.stderr.readline()
        self.url = line.split("listening on ")[1].strip()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def restart(self):
        self.end()
        self.start(self.url.removeprefix("http://"))


async def elicit(_message, response_type, _params, _context):
    return response_type(name="Ada")


def text(result):
    return result.content[0].text


async def cancelled(client, folder):
    """No line follows a call that is cancelled: a file that grows for 30 s stops growing."""
    path = Path(folder, "lines")
    call = asyncio.create_task(
        client.call_tool("append_slow", {"path": str(path), "lines": 300})
    )
    while not path.exists() or not path.read_text():
        await asyncio.sleep(0.02)
    call.cancel()
    await asyncio.wait([call])
    assert text(await client.call_tool("add", {"a": 1, "b": 2})) == "3"
    before = None
    while before != (now := path.read_text()):
        assert now.count("\n") < 100, "the call was not cancelled"
        before = now
        await asyncio.sleep(0.5)
    path.unlink()


async def check(client, version, folder):
    assert client.protocol_version == version, client.protocol_version
    heard = []

    async def progress(done, total, _message):
        heard.append((done, total))

    names = [tool.name for tool in await client.list_tools()]
    assert names[:2] == ["add", "echo"], names
    assert sum(name.startswith("odd_root_") for name in names) == 7, names

    assert text(await client.call_tool("add", {"a": 1, "b": 2})) == "3"
    result = await client.call_tool("opt", {"name": "a"})
    optional = {"name": "a", "nick": None, "limit": 10}
    assert result.structured_content == optional, result

    faults = "c: unknown argument; there are `a`, `b`\nb: missing, expected an integer"
    result = await client.call_tool("add", {"a": 1, "c": 2}, raise_on_error=False)
    assert result.is_error and text(result) == faults, result
    for name, words in [("fail_secret", "refused the login"), ("serch", "did you mean `search`")]:
        try:
            await client.call_tool(name, {})
        except Exception as error:
            assert words in str(error), error
        else:
            raise AssertionError(f"{name} did not fail")

    await client.call_tool("test_tool_with_progress", {}, progress_handler=progress)
    assert heard == [(0, 100), (50, 100), (100, 100)], heard
    result = await client.call_tool("test_input_required_result_elicitation", {})
    assert text(result) == "Hello, Ada!", result

    await cancelled(client, folder)
    big = await client.call_tool("big", {"bytes": 4_000_000})
    assert len(text(big)) == 4_000_000
    sums = [client.call_tool("add", {"a": n, "b": 1}) for n in range(60)]
    assert [text(one) for one in await asyncio.gather(*sums)] == [
        str(n + 1) for n in range(60)
    ]


async def main():
    def stdio():
        return StdioTransport(command=PROGRAM, args=["stdio"])

    with Server() as server, tempfile.TemporaryDirectory() as folder:
        for name, way in [("stdio", stdio), ("http", lambda: f"{server.url}/mcp")]:
            for mode, version in [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")]:
                client = Client(way(), mode=mode, elicitation_handler=elicit)
                async with client:
                    await check(client, version, folder)
                if name == "http":
                    server.restart()
                else:
                    await client.close()
                async with client:
                    assert text(await client.call_tool("echo", {"text": "hi"})) == "hi"
                print(f"fastmcp (PyPI), {name}, {version}: all as it should be")


asyncio.run(asyncio.wait_for(main(), 120))
