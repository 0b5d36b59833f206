// The TypeScript SDK's client in Chromium, on a page of another origin than the server's. The server lists the origin of one page, and
// not that of another. Usage: mcp_browser.mjs NODE_MODULES PROGRAM

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [modules, program] = process.argv.slice(2);

// Where the imports of the client's modules lead in a browser.
const imports = {
  "@modelcontextprotocol/client": "/@modelcontextprotocol/client/dist/index.mjs",
  "@modelcontextprotocol/client/_shims": "/@modelcontextprotocol/client/dist/shimsBrowser.mjs",
  "@modelcontextprotocol/core/internal": "/@modelcontextprotocol/core/dist/internal.mjs",
  "eventsource-parser": "/eventsource-parser/dist/index.js",
  "eventsource-parser/stream": "/eventsource-parser/dist/stream.js",
  eventsource: "/eventsource/dist/index.js",
  jose: "/jose/dist/webapi/index.js",
  "pkce-challenge": "/pkce-challenge/dist/index.browser.js",
  "zod/v4": "/zod/v4/index.js",
};
const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>`;

async function site() {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://site").pathname;
    try {
      const body = path === "/" ? page : await readFile(modules + path);
      response.writeHead(200, { "content-type": path === "/" ? "text/html" : "text/javascript" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function serve(origin) {
  const args = ["serve", "--listen", "127.0.0.1:0", "--allow-origin", origin, "--token-env", "MCP_TOKEN"];
  const child = spawn(program, args, { env: { ...process.env, MCP_TOKEN: "correct" }, stdio: ["ignore", "ignore", "pipe"] });
  process.on("exit", () => child.kill());
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /^listening on (.*)$/.exec(line);
    if (found) return `${found[1]}/mcp`;
  }
  throw new Error("the server did not start");
}

/** Runs in the page: what a client and `fetch` come to. */
async function asks([url, token]) {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const headers = { authorization: `Bearer ${token}` };
  const call = async (mode) => {
    const client = new Client({ name: "page", version: "1" }, { versionNegotiation: { mode } });
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      const { tools } = await client.listTools();
      const result = await client.callTool({ name: "forecast", arguments: { location: "Oslo" } });
      const version = client.getNegotiatedProtocolVersion();
      await client.close();
      return [version, tools.some((tool) => tool.name === "forecast"), result.structuredContent.location];
    } catch (error) {
      return String(error);
    }
  };
  const body = new Blob(["{}"], { type: "application/json" });
  const status = await fetch(url, { method: "POST", body, headers }).then((answer) => answer.status, (error) => error.name);
  return { status, calls: [await call("legacy"), await call({ pin: "2026-07-28" })] };
}

const [listed, other] = [await site(), await site()];
const url = await serve(listed.origin);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
async function from(origin, token) {
  const tab = await browser.newPage();
  await tab.goto(origin);
  const came = await tab.evaluate(asks, [url, token]);
  await tab.close();
  return came;
}

const right = await from(listed.origin, "correct");
assert.deepEqual(right.calls, [["2025-11-25", true, "Oslo"], ["2026-07-28", true, "Oslo"]]);
// `{}` is not a message, and the page reads that.
assert.equal(right.status, 400);
const wrong = await from(listed.origin, "wrong");
assert.equal(wrong.status, 401);
for (const said of wrong.calls) assert.match(said, /401|[Uu]nauthorized/);
const stranger = await from(other.origin, "correct");
assert.equal(stranger.status, "TypeError");
for (const said of stranger.calls) assert.match(said, /Failed to fetch|did not offer/);

await browser.close();
listed.close();
other.close();
console.log("the TypeScript SDK in Chromium, from another origin: all as it should be");
process.exit(0);
