// Calls over HTTP. An answer comes as events, so that progress is seen while the call runs.

import { parse } from "./json.js";

let token;

/** The address of something of the server's, which may stand below another one's path. */
function at(path) {
  return new URL(`../${path}`, import.meta.url);
}

/** From now on requests bear this token. */
export function bear(text) {
  token = text;
}

function headers(more = {}) {
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

/** The tools of this server; nothing where it wants a token that it did not get. */
export async function tools() {
  return (await get("tools"))?.tools;
}

/** What each provider would get of a tool, by the wire's name. */
export function definitions(name) {
  return get(`tools/${encodeURIComponent(name)}/definitions`);
}

async function get(path) {
  const response = await fetch(at(path), { headers: headers() });
  if (response.status === 401) return undefined;
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return parse(await response.text());
}

/** Calls a tool with JSON text. `heard` gets reports; `signal` cancels. */
export function call(name, text, heard, signal) {
  return post(`tools/${encodeURIComponent(name)}`, text, heard, signal);
}

/** Says what was decided about a call that waits, as JSON text: it goes on, and this is its answer. */
export function decide(id, decision, heard, signal) {
  return post(`calls/${encodeURIComponent(id)}`, decision, heard, signal);
}

async function post(path, text, heard, signal) {
  const response = await fetch(at(path), {
    method: "POST",
    headers: headers({ "Content-Type": "application/json", Accept: "text/event-stream, application/json" }),
    body: text,
    signal,
  });
  const kind = response.headers.get("Content-Type") ?? "";
  if (!kind.startsWith("text/event-stream")) return parse(await response.text());
  let answer;
  for await (const event of events(response.body)) {
    if (event.name === "progress") heard(parse(event.data));
    if (event.name === "answer") answer = event.data;
  }
  if (answer === undefined) throw new Error("the connection ended before the answer");
  return parse(answer);
}

/** Server-sent events of a body. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const event = { name: "message", data: "" };
      for (const line of rest.slice(0, end).split("\n")) {
        const [, field, text] = /^([^:]*):? ?(.*)$/s.exec(line);
        if (field === "event") event.name = text;
        if (field === "data") event.data += (event.data && "\n") + text;
      }
      rest = rest.slice(end + 2);
      yield event;
    }
  }
}
