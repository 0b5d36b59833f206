// See mcp_oauth.sh.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [modules, server, client] = process.argv.slice(2);
const { OAuth2Server } = await import(pathToFileURL(`${modules}/oauth2-mock-server/dist/index.mjs`));

// A program, and the lines that it prints.
function start(program, ...args) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  process.on('exit', () => child.kill());
  return {
    say: (line) => child.stdin.write(`${line}\n`),
    line: async () => (await lines.next()).value,
    ended: () => new Promise((ends) => child.on('exit', ends)),
    end: () => child.stdin.end(),
  };
}
// Longer than the server lets pass between two questions for keys.
const pause = () => new Promise((goOn) => setTimeout(goOn, 5500));

const issuer = new OAuth2Server();
await issuer.issuer.keys.generate('RS256');
await issuer.start(0, '127.0.0.1');
// Tokens name their issuer as the server asks for it.
const shop = start(server, issuer.issuer.url);
const url = await shop.line();

// What the next tokens hold, and for which scopes somebody was asked.
let scopes = '';
let ends = {};
const asked = [];
issuer.service.on('beforeAuthorizeRedirect', (_, request) => {
  asked.push(request.query.scope ?? '');
  scopes = request.query.scope ?? '';
});
issuer.service.on('beforeTokenSigning', (token, request) => {
  if (request) Object.assign(token.payload, { aud: url, scope: scopes, sub: 'ann', ...ends });
});

// A token with these claims beside those of a good one.
const token = (claims = {}, kid) =>
  issuer.issuer.buildToken({
    kid,
    scopesOrTransform: (_, payload) =>
      Object.assign(payload, { aud: url, sub: 'ann', scope: 'orders:write' }, claims),
  });
async function cancels(authorization) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'cancel_order',
      ...(authorization && { authorization: `Bearer ${authorization}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'cancel_order',
        arguments: { id: 7 },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const challenge = response.headers.get('www-authenticate') ?? '';
  return { status: response.status, challenge, text: await response.text() };
}
const now = Math.floor(Date.now() / 1000);

// No token, and where one comes from.
const none = await cancels();
assert.equal(none.status, 401, none.text);
const place = /resource_metadata="([^"]+)"/.exec(none.challenge)[1];
const metadata = await (await fetch(place)).json();
assert.deepEqual(metadata.authorization_servers, [issuer.issuer.url]);
assert.deepEqual(metadata.scopes_supported, ['orders:write']);
assert.equal(metadata.resource, url);

// The right one, and those that are not.
const right = await cancels(await token());
assert.equal(right.status, 200, right.text);
assert.match(right.text, /7 is cancelled by ann/);
for (const [claims, status, said] of [
  [{ aud: 'https://other.example.com' }, 401, /another audience/],
  [{ aud: undefined }, 401, /lacks/],
  [{ exp: now - 60 }, 401, /expired/],
  [{ nbf: now + 60 }, 401, /not valid yet/],
  [{ iss: 'https://other.example.com' }, 401, /another issuer/],
  [{ scope: '' }, 403, /error="insufficient_scope", scope="orders:write"/],
  [{ scope: 'orders:read' }, 403, /error="insufficient_scope", scope="orders:write"/],
]) {
  const refused = await cancels(await token(claims));
  assert.equal(refused.status, status, JSON.stringify(claims));
  assert.match(refused.challenge, said);
}

// Keys of each kind that an issuer may have.
const keys = ['ES256', 'ES384', 'PS256', 'EdDSA'].map((alg) => issuer.issuer.keys.generate(alg));
await pause();
for (const { alg, kid } of await Promise.all(keys)) {
  const other = await cancels(await token({}, kid));
  assert.equal(other.status, 200, `${alg}: ${other.text}`);
}

// Our client asks somebody, and calls. The server takes a token for half a minute longer than it says.
ends = { exp: Math.floor(Date.now() / 1000) - 25 };
const app = start(client, url);
assert.equal(await app.line(), 'orders cancel_order');
assert.deepEqual(asked, ['orders:write']);
app.say('cancel_order {"id": 7}');
assert.equal(await app.line(), '7 is cancelled by ann');

// That token is over, and the next one is for less: it asks for more.
ends = {};
scopes = 'orders:read';
await pause();
app.say('cancel_order {"id": 8}');
assert.equal(await app.line(), '8 is cancelled by ann');
assert.equal(asked.length, 2);
assert.match(asked[1], /orders:write/);
app.end();
assert.equal(await app.ended(), 0);
await issuer.stop();
console.log('tokens of oauth2-mock-server: what is right is let in, and nothing else');
process.exit(0);
