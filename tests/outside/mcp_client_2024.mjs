// The TypeScript SDK's client of November 2024, version 1.0.1, with `everything` over a process.
// Usage: mcp_client_2024.mjs NODE_MODULES PROGRAM

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, program] = process.argv.slice(2);
const sdk = file => import(pathToFileURL(resolve(modules, '@modelcontextprotocol/sdk/dist', file)));
const { Client } = await sdk('client/index.js');
const { StdioClientTransport } = await sdk('client/stdio.js');
const { CallToolResultSchema } = await sdk('types.js');

const text = result => result.content[0].text;

async function connect() {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command: program, args: ['stdio'], stderr: 'ignore' }));
  const call = (name, args = {}, options) =>
    client.callTool({ name, arguments: args }, CallToolResultSchema, options);
  return { client, call };
}

const { client, call } = await connect();
assert.equal(client.getServerVersion().name, 'everything');
const { tools } = await client.listTools();
assert.deepEqual(tools.slice(0, 2).map(tool => tool.name), ['add', 'echo']);
assert.equal(text(await call('add', { a: 1, b: 2 })), '3');
const wrong = await call('add', { a: 1, c: 2 });
assert.equal(wrong.isError, true);
assert.equal(text(wrong), 'c: unknown argument; there are `a`, `b`\nb: missing, expected an integer');
await assert.rejects(call('serch'), /did you mean `search`/);

const heard = [];
const onprogress = ({ progress, total }) => heard.push([progress, total]);
await call('test_tool_with_progress', {}, { onprogress });
assert.deepEqual(heard, [[0, 100], [50, 100], [100, 100]]);

// This version sends `cancelled` where the protocol has `notifications/cancelled`: the call is over for the client alone.
const stop = new AbortController();
const hanging = call('hang', {}, { signal: stop.signal });
assert.equal(text(await call('echo', { text: 'both run' })), 'both run');
stop.abort();
await assert.rejects(hanging);
assert.equal(text(await call('big', { bytes: 4_000_000 })).length, 4_000_000);
const sums = await Promise.all(Array.from({ length: 60 }, (_, n) => call('add', { a: n, b: 1 })));
assert.deepEqual(sums.map(text), Array.from({ length: 60 }, (_, n) => String(n + 1)));
const { prompts } = await client.listPrompts();
assert.ok(prompts.some(prompt => prompt.name === 'test_simple_prompt'));
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: resources[0].uri });
assert.equal(contents[0].uri, resources[0].uri);
await client.close();

const again = await connect();
assert.equal(text(await again.call('echo', { text: 'hi' })), 'hi');
await again.client.close();
console.log('the TypeScript SDK 1.0.1, stdio, 2024-11-05: all as it should be');
