"""Tools in an editor: drives rust-analyzer over LSP on a sample crate, prints what it found, fails on the first wrong row."""

import json
import os
import queue
import re
import subprocess
import sys
import threading

# The sample. A row below replaces a piece of it, and `$0` says where the cursor is.
SAMPLE = """\
//! Tools, as people write them.
use serde::{Deserialize, Serialize};
use shop::find_order;
use toolwright::{Context, Provide, Schema, Toolset, tool, tools};

/// A line of an order.
#[derive(Debug, Clone, Default, Deserialize, Serialize, Schema)]
pub struct Line {
    /// What.
    pub sku: String,
    /// How many.
    #[schema(range(1..))]
    pub quantity: u32,
}

impl Line {
    /// No line.
    pub const NOTHING: u32 = 0;
}

/// The application.
#[derive(Provide)]
pub struct App {
    /// Its name.
    pub title: String,
}

const MOST_WORDS: u32 = 3;

fn is_short(text: &str, _most: &u32) -> Result<(), String> {
    if text.len() < 9 { Ok(()) } else { Err("too long".into()) }
}

/// Adds two numbers.
#[tool]
pub fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Counts words.
#[tool(read_only, validate = is_short)]
pub fn count_words(
    text: &str,
    #[arg(default = MOST_WORDS)] most: u32,
    #[state] app: &App,
    #[context] cx: &Context,
) -> Result<String, String> {
    let _ = (app, cx);
    Ok(format!("{text}{most}"))
}

/// Takes a line.
#[tool]
pub async fn take_line(line: Line) -> Line {
    line
}

/// Echoes a value.
#[tool]
pub fn echo_value<T: Schema + serde::de::DeserializeOwned + Serialize>(value: T) -> T {
    value
}

/// A block of tools.
pub struct Crm {
    /// How many.
    pub customers: u32,
}

#[tool]
impl Crm {
    /// Looks for a customer.
    #[tool]
    pub fn look_for(&self, name: &str, #[arg(default = MOST_WORDS)] most: u32) -> u32 {
        self.customers + name.len() as u32 + most
    }
}

/// Orders.
pub mod shop {
    /// Finds an order.
    #[toolwright::tool]
    pub fn find_order(id: u32) -> u32 {
        id
    }
}

/// All tools.
pub fn all_tools(app: App, crm: Crm) -> Toolset {
    tools![add, count_words, take_line, find_order, echo_value::<Line> as "echo_line", ..crm: Crm; state = app]
}

/// Some of them.
pub fn some_tools(app: App) -> Toolset {
    tools! { targets: [openai_strict], unproven: [add]; add, shop::find_order as "order", self::count_words; state = app }
}

/// A call.
pub fn call_tools() -> i64 {
    add(1, 2) + i64::from(find_order(3)) + i64::from(Crm { customers: 1 }.look_for("a", 2))
}

/// Other code.
pub fn other_code(crm: &Crm) {
    let _ = crm.customers;
}
"""

TOOLS = ["add", "count_words", "take_line", "echo_value", "find_order"]


class Client:
    """The server's other end."""

    def __init__(self, command, folder, log):
        self.server = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self.messages = queue.Queue()
        self.last, self.version, self.notes = 0, 0, []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.server.stdout
        while True:
            length = None
            while line := out.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if length is None:
                self.messages.put(None)
                return
            self.messages.put(json.loads(out.read(length)))

    def send(self, **message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.server.stdin.flush()

    def receive(self, timeout):
        """The next message; the server's own questions are answered with nothing."""
        message = self.messages.get(timeout=timeout)
        if message is None:
            sys.exit("rust-analyzer has ended")
        if "method" in message:
            if "id" in message:
                items = message.get("params", {}).get("items", [])
                answer = [None] * len(items) if message["method"] == "workspace/configuration" else None
                self.send(id=message["id"], result=answer)
            else:
                self.notes.append(message)
        return message

    def ask(self, method, params, timeout=120):
        """The answer to a request. One that an edit has cut short is asked again."""
        for _ in range(20):
            self.last += 1
            self.send(id=self.last, method=method, params=params)
            while (message := self.receive(timeout)).get("id") != self.last or "method" in message:
                pass
            if "error" not in message:
                return message["result"]
            if message["error"]["code"] not in (-32801, -32802):
                raise ValueError(message["error"]["message"])
        sys.exit(f"{method}: cut short again and again")

    def wait_until_quiet(self):
        """Waits until the crate is loaded, and its macros."""
        while True:
            message = self.receive(600)
            if message.get("method") == "experimental/serverStatus":
                status = message["params"]
                if status["quiescent"]:
                    if status["health"] != "ok":
                        sys.exit(f"rust-analyzer is not well: {status}")
                    return


class Editor:
    """One open file."""

    def __init__(self, client, path):
        self.client, self.uri, self.text = client, f"file://{path}", ""

    def show(self, text):
        self.text = text
        self.client.version += 1
        document = {"uri": self.uri, "version": self.client.version}
        if self.client.version == 1:
            document |= {"languageId": "rust", "text": text}
            self.client.send(method="textDocument/didOpen", params={"textDocument": document})
        else:
            changes = [{"text": text}]
            self.client.send(method="textDocument/didChange", params={"textDocument": document, "contentChanges": changes})

    def at(self, offset):
        before = self.text[:offset]
        position = {"line": before.count("\n"), "character": offset - (before.rfind("\n") + 1)}
        return {"textDocument": {"uri": self.uri}, "position": position}

    def offset(self, position):
        lines = self.text.splitlines(keepends=True)
        return sum(map(len, lines[: position["line"]])) + position["character"]

    def slice(self, found):
        return self.offset(found["start"]), self.offset(found["end"])

    def hover(self, offset):
        answer = self.client.ask("textDocument/hover", self.at(offset))
        return answer["contents"]["value"] if answer else ""

    def definitions(self, offset):
        """Where the names of the targets begin."""
        answer = self.client.ask("textDocument/definition", self.at(offset)) or []
        return [(link["targetUri"], self.slice(link["targetSelectionRange"])) for link in answer]

    def renamed(self, offset, name):
        """The text after a rename."""
        answer = self.client.ask("textDocument/rename", self.at(offset) | {"newName": name})
        edits = [edit for change in answer["documentChanges"] for edit in change["edits"]]
        text = self.text
        for edit in sorted(edits, key=lambda edit: self.offset(edit["range"]["start"]), reverse=True):
            start, end = self.slice(edit["range"])
            text = text[:start] + edit["newText"] + text[end:]
        return text

    def completions(self, offset):
        """The names offered, as often as they are."""
        answer = self.client.ask("textDocument/completion", self.at(offset) | {"context": {"triggerKind": 1}})
        items = answer["items"] if isinstance(answer, dict) else answer or []
        # A snippet is not a name.
        return [re.match(r"[\w#]*!?", item["label"]).group() for item in items if item["kind"] != 15]


def cursors(text, marked):
    """Where the cursor of a marked piece is: the piece stands once in the text."""
    piece = marked.replace("$0", "")
    assert text.count(piece) == 1, f"{marked!r} stands {text.count(piece)} times in the sample"
    return text.index(piece) + marked.index("$0")


# Where a tool's name stands, the name, its signature and its first word of docs.
PLACES = [
    ("a definition", "pub fn a$0dd(", "add", "pub fn add(a: i64, b: i64) -> i64", "Adds two numbers."),
    ("a list", "tools![a$0dd,", "add", "pub fn add(a: i64, b: i64) -> i64", "Adds two numbers."),
    ("a list with targets", "; a$0dd, shop", "add", "pub fn add(a: i64, b: i64) -> i64", "Adds two numbers."),
    ("a call", " a$0dd(1, 2)", "add", "pub fn add(a: i64, b: i64) -> i64", "Adds two numbers."),
    ("a definition with options", "pub fn count_$0words(", "count_words", "pub fn count_words(", "Counts words."),
    ("its list", " count_$0words, take", "count_words", "pub fn count_words(", "Counts words."),
    ("its list, with a path", "self::count_$0words", "count_words", "pub fn count_words(", "Counts words."),
    ("an async definition", "async fn take_$0line(", "take_line", "pub async fn take_line(line: Line) -> Line", "Takes a line."),
    ("its list", ", take_$0line,", "take_line", "pub async fn take_line(line: Line) -> Line", "Takes a line."),
    ("a generic definition", "fn echo_$0value<", "echo_value", "pub fn echo_value<T>(value: T) -> T", "Echoes a value."),
    ("its list", " echo_$0value::<Line>", "echo_value", "pub fn echo_value<T>(value: T) -> T", "Echoes a value."),
    ("a tool of another module", "pub fn find_$0order(", "find_order", "pub fn find_order(id: u32) -> u32", "Finds an order."),
    ("its import", "use shop::find_$0order;", "find_order", "pub fn find_order(id: u32) -> u32", "Finds an order."),
    ("its list, imported", ", find_$0order, echo", "find_order", "pub fn find_order(id: u32) -> u32", "Finds an order."),
    ("its list, with a path", "shop::find_$0order as", "find_order", "pub fn find_order(id: u32) -> u32", "Finds an order."),
    ("a method", "pub fn look_$0for(", "look_for", "pub fn look_for(&self, name: &str, most: u32) -> u32", "Looks for a customer."),
    ("its call", ".look_$0for(", "look_for", "pub fn look_for(&self, name: &str, most: u32) -> u32", "Looks for a customer."),
]

# What is typed: a piece of the sample, what stands in its place, and what is offered at the cursor, once each.
LIST = "tools![add, count_words, take_line, find_order, echo_value::<Line> as \"echo_line\", ..crm: Crm; state = app]"
ADD = "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}"
TYPED = [
    ("an empty list", LIST, "tools![$0]", TOOLS + ["shop"]),
    ("the first name", LIST, "tools![ad$0]", ["add"]),
    ("a list's second name", LIST, "tools![add, $0]", TOOLS + ["shop"]),
    ("half a name", LIST, "tools![add, cou$0, take_line; state = app]", ["count_words"]),
    ("after a path", LIST, "tools![add, shop::$0]", ["find_order"]),
    ("half a path", LIST, "tools![add, shop::find$0; state = app]", ["find_order"]),
    ("without a comma", LIST, "tools![add count$0]", []),
    ("a list with targets", LIST, "tools! { targets: [openai_strict]; ad$0 }", ["add"]),
    ("a spread's value", LIST, "tools![..cr$0: Crm; state = app]", ["crm"]),
    ("a spread's type", LIST, "tools![..crm: Cr$0; state = app]", ["Crm"]),
    ("the state", LIST, "tools![add; state = ap$0]", ["app"]),
    ("a field of the state", LIST, "tools![add; state = app.$0]", ["title"]),
    ("after a list", LIST, "let all = tools![add; state = app]; all.$0", ["len", "merge"]),
    ("after half a list", LIST, "let all = tools![add, cou; state = app]; all.$0", ["len", "merge"]),
    ("a statement", "let _ = crm.customers;", "$0", TOOLS + ["Line", "crm"]),
    ("half a call", "let _ = crm.customers;", "ad$0", ["add"]),
    ("the arguments of a call", "let _ = crm.customers;", "add(crm.$0", ["customers", "look_for"]),
    ("a method", "let _ = crm.customers;", "crm.$0", ["customers", "look_for"]),
    ("a type of tools", "let _ = crm.customers;", "Crm::$0", ["look_for"]),
    ("a type with a schema", "let _ = crm.customers;", "Line::$0", ["NOTHING"]),
    ("an import", "use shop::find_order;", "use shop::$0;", ["find_order"]),
    ("a body", ADD, ADD.replace("a + b", "a.$0"), []),
    ("a body, its parameter", "    line\n", "    lin$0\n", ["line"]),
    ("a body, a field", "    line\n", "    line.$0\n", ["sku", "quantity"]),
    ("a body without its end", "    line\n}", "    foo(line.$0\n", ["sku", "quantity"]),
    ("a body, behind `let`", "    line\n", "    let a = line.$0\n    line\n", ["sku", "quantity"]),
    ("a tool without docs", "/// Takes a line.\n", "", None),
    ("an unknown option", "/// Takes a line.\n#[tool]", "/// Takes a line.\n#[tool(desc = 1)]", None),
    ("half an option", "/// Takes a line.\n#[tool]", "/// Takes a line.\n#[tool(read_)]", None),
    ("a parameter without a type", "take_line(line: Line)", "take_line(line: Line, other)", None),
    ("a parameter's half type", "take_line(line: Line)", "take_line(line: Li$0)", ["Line"]),
    ("a parameter's type", "take_line(line: Line)", "take_line(line: Line, other: Ap$0)", ["App"]),
    ("half a result", "-> Line {", "-> Li$0 {", ["Line"]),
    ("a method's body", "self.customers + name.len() as u32 + most", "self.$0", ["customers", "look_for"]),
    ("a method without its end", "        self.customers + name.len() as u32 + most\n    }", "        self.$0\n", ["customers"]),
    ("a default", "default = MOST_WORDS)] most: u32,", "default = MOST$0)] most: u32,", ["MOST_WORDS"]),
    ("a method's default", "default = MOST_WORDS)] most: u32)", "default = MOST$0)] most: u32)", ["MOST_WORDS"]),
    ("a validator", "validate = is_short", "validate = is_$0", ["is_short"]),
]


def check_place(editor, place):
    _, marked, name, signature, words = place
    offset = cursors(SAMPLE, marked)
    faults = []
    hover = editor.hover(offset)
    if signature not in hover or words not in hover:
        faults.append("the hover lacks signature or docs")
    if hover.count("```rust") > 2 or len(hover) > 500 or re.search(r"\b__|this_function|\bstruct\b", hover):
        faults.append(f"the hover has {len(hover)} bytes, {hover.count('```rust')} parts")
    found = editor.definitions(offset)
    at = re.search(rf"fn ({name})\b", SAMPLE).span(1)
    if found != [(editor.uri, at)]:
        faults.append(f"{len(found)} targets")
    try:
        expected = re.sub(rf"\b{name}\b", "renamed", SAMPLE)
        if marked.startswith("use "):
            # Of every import rust-analyzer makes an alias.
            expected = expected.replace("use shop::renamed;", "use shop::find_order as renamed;")
        if editor.renamed(offset, "renamed") != expected:
            faults.append("the rename is not whole")
    except ValueError as error:
        faults.append(f"no rename: {error}")
    return f"{len(hover)} bytes, {len(found)} targets", faults


def check_typed(editor, typed):
    _, old, new, expected = typed
    assert SAMPLE.count(old) == 1, f"{old!r} stands {SAMPLE.count(old)} times in the sample"
    text = SAMPLE.replace(old, new)
    if expected is None:
        # The state is elsewhere: the body below still completes.
        text, expected = text.replace("    line\n", "    line.$0\n"), ["sku", "quantity"]
    offset = text.index("$0")
    editor.show(text.replace("$0", ""))
    offered = editor.completions(offset)
    faults = [f"no `{name}`" for name in expected if name not in offered]
    faults += [f"`{name}` {offered.count(name)} times" for name in {*TOOLS, *expected} if offered.count(name) > 1]
    ours = {name for name in offered if name.startswith("__") or name == "this_function"}
    faults += [f"`{name}`, which is generated" for name in sorted(ours)]
    return f"{len(offered)} names", faults


def main():
    server, folder = sys.argv[1:]
    path = os.path.join(os.path.realpath(folder), "src/lib.rs")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SAMPLE)
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        client = Client([server], folder, log)
        try:
            wrong = check(client, path)
        finally:
            client.server.kill()
    if wrong:
        sys.exit(f"{wrong} rows are wrong")


def check(client, path):
    options = {"checkOnSave": False, "cachePriming": {"enable": False}, "cargo": {"buildScripts": {"enable": True}}}
    abilities = {
        "experimental": {"serverStatusNotification": True},
        "general": {"positionEncodings": ["utf-8"]},
        "workspace": {"workspaceEdit": {"documentChanges": True}},
        "textDocument": {"definition": {"linkSupport": True}, "hover": {"contentFormat": ["markdown"]}},
    }
    root = f"file://{os.path.dirname(os.path.dirname(path))}"
    folders = [{"uri": root, "name": "sample"}]
    params = {"processId": os.getpid(), "rootUri": root, "workspaceFolders": folders}
    client.ask("initialize", params | {"capabilities": abilities, "initializationOptions": options})
    client.send(method="initialized", params={})
    editor = Editor(client, path)
    editor.show(SAMPLE)
    client.wait_until_quiet()

    wrong = 0
    # The sample's std is too small for what comes before.
    first = SAMPLE[: SAMPLE.index("#[tool]")].count("\n")
    answer = client.ask("textDocument/diagnostic", {"textDocument": {"uri": editor.uri}})
    for item in answer["items"]:
        if item["range"]["start"]["line"] >= first:
            wrong += 1
            print(f"WRONG  line {item['range']['start']['line'] + 1}: {item['message']}")
    for group, rows, check_row in (("names", PLACES, check_place), ("typed", TYPED, check_typed)):
        print(f"-- {group}")
        for row in rows:
            found, faults = check_row(editor, row)
            wrong += bool(faults)
            print(f"{'WRONG' if faults else 'ok':5}  {row[0]:28} {found:28} {'; '.join(faults)}", flush=True)
    return wrong


main()
