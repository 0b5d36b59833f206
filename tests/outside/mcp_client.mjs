// The TypeScript SDK's client with `everything`: for each version of the protocol that it speaks, over a process and over
// HTTP. Usage: mcp_client.mjs NODE_MODULES PROGRAM URL

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, program, url] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${modules}/`));
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

const text = result => result.content[0].text;

async function check(transport, mode, version) {
  const heard = [];
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), version);

  const { tools } = await client.listTools();
  assert.equal(tools.filter(tool => tool.name.startsWith('odd_root_')).length, 7);
  assert.ok(tools.every(tool => tool.inputSchema.type === 'object'));
  assert.deepEqual(tools.slice(0, 2).map(tool => tool.name), ['add', 'echo']);
  assert.equal(text(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })), '3');
  const opt = await client.callTool({ name: 'opt', arguments: { name: 'a' } });
  assert.deepEqual(opt.structuredContent, { name: 'a', nick: null, limit: 10 });

  const wrong = await client.callTool({ name: 'add', arguments: { a: 1, c: 2 } });
  assert.equal(wrong.isError, true);
  assert.equal(text(wrong), 'c: unknown argument; there are `a`, `b`\nb: missing, expected an integer');
  const codes = wrong._meta['toolwright/error'].faults.map(fault => fault.code);
  assert.deepEqual(codes, ['unknown_argument', 'missing_argument']);

  // Data of an error: structured content would be checked by a schema for results.
  for (const [name, isStructured] of [['decline', true], ['decline_order', false]]) {
    const failed = await client.callTool({ name, arguments: { cents: 5 } });
    const error = failed._meta['toolwright/error'];
    assert.deepEqual([error.data, error.permanent], [{ code: 'declined' }, true]);
    assert.deepEqual(failed.structuredContent, isStructured ? error : undefined);
  }

  const onprogress = ({ progress, total }) => heard.push([progress, total]);
  await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress });
  assert.deepEqual(heard, [[0, 100], [50, 100], [100, 100]]);

  const asked = await client.callTool({ name: 'test_input_required_result_elicitation', arguments: {} });
  assert.equal(text(asked), 'Hello, Ada!');

  await assert.rejects(client.callTool({ name: 'serch', arguments: {} }), /did you mean `search`/);

  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some(prompt => prompt.name === 'test_simple_prompt'), JSON.stringify(prompts));
  const { resources } = await client.listResources();
  assert.ok(resources.length > 0);
  const read = await client.readResource({ uri: resources[0].uri });
  assert.equal(read.contents[0].uri, resources[0].uri);
  await client.close();
}

const ways = {
  stdio: () => new StdioClientTransport({ command: program, args: ['stdio'] }),
  http: () => new StreamableHTTPClientTransport(new URL(url)),
};
for (const [name, transport] of Object.entries(ways)) {
  for (const [mode, version] of [['legacy', '2025-11-25'], [{ pin: '2026-07-28' }, '2026-07-28']]) {
    await check(transport(), mode, version);
    console.log(`the TypeScript SDK, ${name}, ${version}: all as it should be`);
  }
}
