// The page: a list of tools, one of them as a form, and what its calls come to.

import { bear, call, decide, definitions, tools } from "./call.js";
import { form, make } from "./form.js";
import { parse, stringify } from "./json.js";
import { visible } from "./visible.js";

const at = (id) => document.getElementById(id);
let known = [];
let running;

async function start() {
  try {
    const found = await tools();
    at("entry").hidden = found !== undefined;
    at("tools").hidden = found === undefined;
    if (!found) {
      at("token").focus();
      return false;
    }
    known = found;
    list("");
    show(known.find((tool) => tool.name === wanted()) ?? known[0]);
    return true;
  } catch (error) {
    at("tools").hidden = false;
    at("tool").replaceChildren(make("p", { className: "fault", role: "alert" }, `The tools cannot be listed: ${error.message}`));
    return false;
  }
}

const wanted = () => decodeURIComponent(location.hash.replace(/^#\/?/, ""));

at("entry").addEventListener("submit", async (event) => {
  event.preventDefault();
  bear(at("token").value);
  if (await start()) at("token").value = "";
  else at("entry-fault").textContent = "The server does not take this token.";
});

at("find").addEventListener("input", () => list(at("find").value));
window.addEventListener("hashchange", () => {
  const tool = known.find((tool) => tool.name === wanted());
  if (tool) show(tool);
});

function list(words) {
  const sought = words.toLowerCase();
  const shown = known.filter((tool) => `${tool.name} ${tool.title ?? ""} ${tool.namespace ?? ""} ${tool.description}`.toLowerCase().includes(sought));
  const items = shown.map((tool) => {
    const button = make("button", { type: "button" }, make("b", {}, tool.name), make("span", {}, tool.description));
    button.dataset.tool = tool.name;
    button.addEventListener("click", () => {
      location.hash = `/${encodeURIComponent(tool.name)}`;
      show(tool);
      at("tool").focus();
    });
    return make("li", {}, button);
  });
  at("list").replaceChildren(...items);
  at("none").hidden = items.length > 0;
  mark();
}

function mark() {
  for (const button of at("list").querySelectorAll("button")) {
    if (button.dataset.tool === at("tool").dataset.tool) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
}

function marks(tool) {
  const hints = tool.annotations ?? {};
  const all = [
    hints.read_only && "read-only",
    hints.destructive && "destructive",
    hints.idempotent && "idempotent",
    hints.open_world && "open-world",
    tool.requires_approval && "requires approval",
    tool.namespace && `deferred: ${tool.namespace}`,
    tool.tokens && `${tool.tokens} tokens at most`,
  ].filter(Boolean);
  const item = (words) => make("li", { className: words === "destructive" ? "bad" : "" }, words);
  return all.length ? make("ul", { className: "marks", "aria-label": "Hints" }, ...all.map(item)) : undefined;
}

function show(tool) {
  if (!tool || at("tool").dataset.tool === tool.name) return;
  running?.abort();
  at("tool").dataset.tool = tool.name;
  document.title = `${tool.name} · Tools`;
  mark();
  const fields = form(tool.input_schema);
  const fault = make("p", { className: "fault", role: "alert" });
  const go = make("button", { className: "main" }, "Call");
  const stop = make("button", { type: "button", className: "plain", disabled: true }, "Cancel");
  const answer = make("div", { id: "answer", hidden: true });
  // Progress is not read out, but that there is an answer is.
  const status = make("p", { className: "hidden", role: "status" });
  const raw = rawText(fields);
  const element = make("form", { noValidate: true, autocomplete: "off" }, fields.element, raw.element, fault,
    make("div", { className: "actions" }, go, stop));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = raw.read();
    if (!running) run(tool, { fields, fault, go, stop, answer, status }, (...how) => call(tool.name, text, ...how));
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) element.requestSubmit();
  });
  stop.addEventListener("click", () => running?.abort());
  at("tool").replaceChildren(...[make("h2", {}, tool.title ?? tool.name), make("p", { className: "about" }, tool.description),
    marks(tool), examples(tool, raw), element, status, answer, schema(tool), sent(tool), past].filter(Boolean));
}

/** Calls as a model should make them; a click takes one over. */
function examples(tool, raw) {
  const take = ({ arguments: given, shows }) => {
    const button = make("button", { type: "button", className: "plain" }, shows || stringify(given));
    button.addEventListener("click", () => raw.show(stringify(given, "  ")));
    return make("li", {}, button);
  };
  return tool.examples && make("ul", { className: "examples", "aria-label": "Examples" }, ...tool.examples.map(take));
}

function schema(tool) {
  return make("details", { className: "raw" }, make("summary", {}, "Schema of the arguments"),
    make("pre", {}, stringify(tool.input_schema, "  ")));
}

const PROVIDERS = {
  openai_chat: "OpenAI Chat Completions",
  openai_responses: "OpenAI Responses",
  anthropic: "Anthropic Messages",
  gemini: "Gemini",
  bedrock: "Amazon Bedrock",
  ollama: "Ollama",
  mcp: "MCP up to 2025-11-25",
  mcp_2026: "MCP 2026-07-28",
};

/** Stays from tool to tool. */
let provider = "openai_chat";

/** What a provider would get of the tool; asked for once somebody looks. */
function sent(tool) {
  const id = "provider";
  const choice = make("select", { id, disabled: true });
  const text = make("div");
  const element = make("details", { className: "raw" }, make("summary", {}, "As a provider gets it"),
    make("label", { for: id, className: "hidden" }, "Provider"), choice, text);
  let all;
  const tell = () => {
    const { dialect, tools, notes, refused } = all[choice.value];
    const list = (words) => make("ul", { className: "help" }, ...words.map((one) => make("li", {}, one)));
    text.replaceChildren(...(refused
      ? [make("p", { className: "fault" }, `${dialect} does not accept this tool:`), list(refused)]
      : [make("pre", {}, stringify(tools, "  ")), ...(notes.length ? [list(notes)] : [])]));
  };
  choice.addEventListener("change", () => {
    provider = choice.value;
    tell();
  });
  element.addEventListener("toggle", async () => {
    if (!element.open || all) return;
    try {
      all = await definitions(tool.name);
      choice.replaceChildren(...Object.keys(all).map((name) => make("option", { value: name }, PROVIDERS[name] ?? name)));
      choice.value = provider;
      choice.disabled = false;
      tell();
    } catch (error) {
      text.replaceChildren(make("p", { className: "fault" }, `The definitions cannot be read: ${error.message}`));
    }
  });
  return element;
}

/** The last calls, the newest first; they go with the page. */
const past = make("section", { className: "past", hidden: true, "aria-label": "Last calls" }, make("h3", {}, "Last calls"));
const MOST_PAST = 10;

function remember(tool, answer) {
  const copy = make("div", {}, ...[...answer.children].map((part) => part.cloneNode(true)));
  for (const control of copy.querySelectorAll(".raw, .actions, label")) control.remove();
  const summary = make("summary", {}, `${tool.name}: ${answer.querySelector("h3").textContent}`);
  past.firstElementChild.after(make("details", { className: "raw" }, summary, copy));
  while (past.childElementCount > 1 + MOST_PAST) past.lastElementChild.remove();
  past.hidden = false;
}

/** The arguments as JSON; while this is open, it is what is sent. */
function rawText(fields) {
  const id = "raw-text";
  const text = make("textarea", { id, className: "json", rows: 3, spellcheck: false });
  const summary = make("summary", {}, "Arguments as JSON");
  const element = make("details", { className: "raw" }, summary,
    make("label", { for: id, className: "help" }, "While this is open, this text is sent, and not the form."), text);
  // Not on "toggle", which comes later, over what somebody has typed by then.
  summary.addEventListener("click", () => {
    if (!element.open) text.value = fields.read();
  });
  const show = (value) => {
    [element.open, text.value] = [true, value];
    text.focus();
  };
  return { element, show, read: () => (element.open ? text.value : fields.read()) };
}

/** Runs what `ask` asks for: a call, or one that waited. */
async function run(tool, parts, ask) {
  const { fields, fault, go, stop, answer, status } = parts;
  running = new AbortController();
  const { signal } = running;
  const since = performance.now();
  [go.disabled, stop.disabled] = [true, false];
  [fault.textContent, status.textContent] = ["", ""];
  fields.clear();
  const meter = make("progress", { "aria-label": "Progress" });
  const line = make("p", { className: "help" }, "It runs…");
  const parts_of_it = make("ul");
  answer.hidden = false;
  answer.replaceChildren(head("Running", ""), meter, line, parts_of_it);
  const heard = (report) => {
    const [done, total] = [Number(report.done), Number(report.total ?? 0)];
    if (total) [meter.max, meter.value] = [total, done];
    line.textContent = visible([total ? `${done} of ${total}` : `${done}`, report.message].filter(Boolean).join(": "));
    if (report.item !== undefined && parts_of_it.childElementCount < 100) parts_of_it.append(make("li", {}, stringify(report.item)));
  };
  try {
    const came = await ask(heard, signal);
    const decided = (decision) => !running && run(tool, parts, (...how) => decide(came.id, decision, ...how));
    tell(came, fields, fault, answer, decided);
  } catch (error) {
    const words = signal.aborted ? "Cancelled" : "No answer";
    const took = `after ${Math.round(performance.now() - since)} ms`;
    answer.replaceChildren(head(words, "bad", took), make("p", {}, signal.aborted ? "The call was ended by you." : error.message));
  } finally {
    running = undefined;
    remember(tool, answer);
    status.textContent = `${tool.name}: ${answer.querySelector("h3").textContent}`;
    [go.disabled, stop.disabled] = [false, true];
    if (document.activeElement === document.body) go.focus();
  }
}

function head(words, className, note) {
  return make("div", { className: "head" }, make("h3", { className }, words), note ? make("small", {}, note) : undefined);
}

function tell(came, fields, fault, answer, decided) {
  const took = came.duration_ms === undefined ? "" : `${came.duration_ms} ms`;
  const [words, look, ...content] = told(came, fields, fault, decided);
  const repairs = (came.repairs ?? []).map((repair) =>
    make("li", {}, `${repair.path ? `${repair.path}: ` : ""}${repair.from} was taken for ${repair.to || "nothing"}`));
  answer.replaceChildren(head(words, look, took), ...content, ...(repairs.length ? [make("ul", {}, ...repairs)] : []));
}

/** What an answer says: words, how they look, and what stands below. */
function told(came, fields, fault, decided) {
  switch (came.status) {
    case "done": {
      const ends = came.halt ? [make("p", { className: "help" }, `The conversation would end: ${came.halt}`)] : [];
      const blocks = came.content ? came.content.map(block) : [make("pre", {}, shown(came.value))];
      return ["Answer", "good", ...blocks, ...ends];
    }
    case "ask_user":
      return ["The tool asks", "", make("p", {}, came.question), ...asked(came, decided)];
    case "pending": {
      const button = (words, className, decision) => {
        const made = make("button", { type: "button", className }, words);
        made.addEventListener("click", () => decided(decision));
        return made;
      };
      const why = make("p", { className: "help" }, `It did not run yet: ${stringify(came.ask ?? came.reason)}`);
      const says = make("div", { className: "actions" }, button("Approve", "main", '"approve"'), button("Reject", "plain", '{"reject":""}'));
      const edit = written("Run it with other arguments", came.arguments ?? "", "Run", (text) => decided(`{"edit":${text}}`));
      const answer = written("Answer in its place", "", "Answer", (text) => decided(`{"answer":${text}}`));
      return ["The call waits for a person", "", why, make("pre", {}, came.arguments ?? ""), says, edit, answer];
    }
    default: {
      const left = fields.tell(came.error.faults ?? []);
      const isAll = left.length === 0 && came.error.faults;
      if (left.length) fault.textContent = left.map((one) => one.message).join("\n");
      const lines = came.error.messages.map((message) => make("li", {}, message));
      return [isAll ? "The arguments do not fit" : `Failed: ${came.error.kind}`, "bad", make("ul", {}, ...lines)];
    }
  }
}

/** What a question says beside its words, and how a person answers it: by a choice, in words, or as JSON of a schema. */
function asked({ id, options: all = {} }, decided) {
  if (!id) return options(all);
  const { choices, schema, ...others } = all;
  return [...options(schema ? { schema, ...others } : others), ...reply(all, decided)];
}

function reply(options, decided) {
  const answer = (value) => decided(`{"answer":${stringify(value)}}`);
  const choices = Array.isArray(options?.choices) ? options.choices : [];
  const buttons = choices.map((choice) => {
    const button = make("button", { type: "button", className: "plain" }, shown(choice));
    button.addEventListener("click", () => answer(choice));
    return button;
  });
  if (buttons.length) return [make("div", { className: "actions" }, ...buttons)];
  if (options?.schema) return [written("Answer", "", "Answer", (text) => decided(`{"answer":${text}}`))];
  const control = make("textarea", { rows: 2, spellcheck: true });
  const go = make("button", { type: "button", className: "main" }, "Answer");
  go.addEventListener("click", () => answer(control.value));
  return [make("label", { className: "help" }, "Your answer", control), make("div", { className: "actions" }, go)];
}

/** A text that is JSON, and what is done with it. */
function written(words, text, verb, send) {
  const id = `written-${verb}`;
  const control = make("textarea", { id, className: "json", rows: 3, spellcheck: false, value: text });
  const fault = make("p", { className: "fault", role: "alert" });
  const go = make("button", { type: "button", className: "plain" }, verb);
  go.addEventListener("click", () => {
    try {
      parse(control.value);
    } catch (error) {
      fault.textContent = `This is not JSON: ${error.message}`;
      return;
    }
    send(control.value);
  });
  return make("details", { className: "raw" }, make("summary", {}, words),
    make("label", { for: id, className: "help" }, "JSON"), control, fault, make("div", { className: "actions" }, go));
}

const options = (all) => (Object.keys(all ?? {}).length ? [make("pre", {}, shown(all))] : []);
const shown = (value) => (typeof value === "string" ? value : stringify(value, "  "));

function block(one) {
  switch (one.type) {
    case "text":
      return make("pre", {}, one.text);
    case "image":
      return make("img", { alt: "A picture of the answer", src: `data:${one.mime_type};base64,${one.data}` });
    case "audio":
      return make("audio", { controls: true, src: `data:${one.mime_type};base64,${one.data}` });
    default:
      return make("pre", {}, shown(one.value ?? one.uri ?? one));
  }
}

start();
