// Uses the page as people do: fills forms, calls, sees answers, faults and progress, cancels; with a
// mouse and with the keyboard alone, at the width of a desktop and of a phone, light and dark.
// Arguments: where the page is, and where its pictures go.

import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [url, pictures] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

/** A page whose errors, and whose requests to elsewhere, fail the test. */
async function open(options, path = "/") {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => {
    // A refused call is an answer with a status that the browser reports.
    if (message.type() === "error" && !/status of (4\d\d|5\d\d)/.test(message.text())) wrong.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) wrong.push(request.url());
  });
  await page.goto(url + path);
  await page.locator("#list button").first().waitFor();
  return { page, wrong, close: () => context.close() };
}

const tool = (page, name) => page.locator(`#list button[data-tool="${name}"]`).click();
const call = (page) => page.getByRole("button", { name: "Call" }).click();
const heading = (page) => page.locator("#answer h3");
const answer = async (page) => JSON.parse(await page.locator("#answer pre").first().innerText());
const field = (page, label) => page.locator("#tool .field", { has: page.getByLabel(label, { exact: false }) }).last();
const faultAt = (page, label) => field(page, label).locator(":scope > .fault");

async function said(page, words) {
  await heading(page).filter({ hasText: words }).waitFor();
}

/** Every control has a name, nothing is wider than the window, and nothing has an id twice. */
async function sound(page) {
  const found = await page.evaluate(() => {
    const controls = [...document.querySelectorAll("input, select, textarea, button")].filter((one) => one.checkVisibility());
    const nameless = controls.filter((one) => !one.labels?.length && !one.getAttribute("aria-label") && !one.textContent.trim());
    const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
    return {
      nameless: nameless.map((one) => one.outerHTML),
      twice: ids.filter((id, index) => ids.indexOf(id) !== index),
      isTooWide: document.documentElement.scrollWidth > window.innerWidth,
    };
  });
  assert.deepEqual(found, { nameless: [], twice: [], isTooWide: false });
}

async function desktop() {
  const { page, wrong, close } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });

  // An answer.
  await tool(page, "forecast");
  await page.getByLabel("location").fill("Oslo");
  await page.getByLabel("unit").selectOption("fahrenheit");
  await call(page);
  await said(page, "Answer");
  assert.deepEqual(await answer(page), { location: "Oslo", days: [70.7, 69.7, 68.7], unit: "fahrenheit" });
  await sound(page);
  await page.screenshot({ path: `${pictures}/desktop-answer.png`, fullPage: true });

  // Faults beside their fields, which go with the next call.
  await page.getByLabel("location").fill("");
  await page.getByLabel("days").fill("many");
  await call(page);
  await said(page, "The arguments do not fit");
  assert.match(await faultAt(page, "days").innerText(), /expected an integer from 1 to 10, got "many"/);
  assert.match(await faultAt(page, "location").innerText(), /expected a string of 1 to 80 characters, got ""/);
  assert.equal(await page.getByLabel("days").getAttribute("aria-invalid"), "true");
  assert.equal(await page.evaluate(() => document.activeElement.labels?.[0]?.firstChild?.textContent), "location");
  await page.screenshot({ path: `${pictures}/desktop-fault.png`, fullPage: true });
  await page.getByLabel("location").fill("Rome");
  await page.getByLabel("days").fill("1");
  await call(page);
  await said(page, "Answer");
  assert.equal(await faultAt(page, "days").innerText(), "");
  assert.equal(await page.getByLabel("days").getAttribute("aria-invalid"), null);

  // An example is taken over as JSON; one without words is shown as it is.
  const examples = page.getByRole("list", { name: "Examples" });
  assert.deepEqual(await examples.getByRole("button").allInnerTexts(), ["two days in Fahrenheit", '{"location":"Rome"}']);
  await examples.getByRole("button").first().click();
  assert.deepEqual(JSON.parse(await page.getByLabel("While this is open").inputValue()),
    { location: "Oslo", unit: "fahrenheit", days: 2 });
  await call(page);
  await said(page, "Answer");
  assert.deepEqual(await answer(page), { location: "Oslo", days: [70.7, 69.7], unit: "fahrenheit" });
  await sound(page);

  // A question is answered by a choice, and the answer is the call's result.
  await tool(page, "travel");
  await call(page);
  await said(page, "The tool asks");
  await sound(page);
  await page.screenshot({ path: `${pictures}/desktop-question.png`, fullPage: true });
  await page.getByRole("button", { name: "Rome" }).click();
  await said(page, "Answer");
  assert.equal(await page.locator("#answer pre").first().innerText(), "Rome");

  // Without choices, in words.
  const asks = { status: "ask_user", id: "1", question: "Who?", options: {}, duration_ms: 1 };
  await page.route("**/tools/travel", (route) => route.fulfill({ json: asks }));
  await call(page);
  await said(page, "The tool asks");
  await page.getByLabel("Your answer").fill('Ada "Countess"');
  await sound(page);
  const answered = page.waitForRequest("**/calls/1");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  assert.deepEqual((await answered).postDataJSON(), { answer: 'Ada "Countess"' });
  await said(page, "Failed: not_waiting");
  await page.unroute("**/tools/travel");

  // Nested objects, lists, unions, maps. What is wrong in a list is told where it stands now.
  await tool(page, "order");
  await page.getByLabel("name", { exact: false }).first().fill("Ada");
  await page.getByLabel("country").fill("gb");
  const add = page.getByRole("button", { name: "Add to lines" });
  await page.getByLabel("sku").nth(0).fill("gone");
  await add.click();
  await page.getByLabel("sku").nth(1).fill("tea");
  await page.getByLabel("quantity").nth(1).fill("500");
  await page.getByRole("group", { name: "lines 2" }).waitFor();
  await page.getByRole("button", { name: "Remove from lines" }).first().click();
  await page.getByRole("group", { name: "lines 1" }).waitFor();
  await page.getByLabel("delivery").first().selectOption({ label: "by: post" });
  await page.getByLabel("express").check();
  await page.getByRole("group", { name: "labels" }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Add to labels" }).click();
  await page.getByLabel("Key 1 of labels").fill("gift");
  await page.getByLabel("value 1").fill("yes");
  await sound(page);
  await call(page);
  await said(page, "The arguments do not fit");
  assert.match(await faultAt(page, "country").innerText(), /got "gb"/);
  assert.match(await faultAt(page, "quantity").innerText(), /expected an integer from 1 to 99, got 500/);
  await page.screenshot({ path: `${pictures}/desktop-order.png`, fullPage: true });
  await page.getByLabel("country").fill("GB");
  await page.getByLabel("quantity").fill("5");
  // It is destructive, so that a person is asked.
  await call(page);
  await said(page, "The call waits for a person");
  assert.equal((await answer(page)).lines[0].sku, "tea");
  assert.match(await page.locator("#answer").innerText(), /It did not run yet: \{"destructive":true\}/);
  await sound(page);
  await page.screenshot({ path: `${pictures}/desktop-waits.png`, fullPage: true });
  await page.getByRole("button", { name: "Reject" }).click();
  await said(page, "Failed: rejected");
  await call(page);
  await said(page, "The call waits for a person");
  await page.getByRole("button", { name: "Approve" }).click();
  await said(page, "Answer");
  assert.deepEqual(await answer(page), {
    customer: { name: "Ada", country: "GB" },
    lines: [{ sku: "tea", quantity: 5 }],
    pieces: 5,
    delivery: { by: "post", express: true },
    labels: { gift: "yes" },
  });

  // A person edits what a call runs with, or answers in its place.
  await call(page);
  await said(page, "The call waits for a person");
  const edited = '{"customer":{"name":"Ada","country":"GB"},"lines":[{"sku":"tea","quantity":7}],"delivery":{"by":"post","express":true}}';
  await page.getByText("Run it with other arguments").click();
  await page.locator("#written-Run").fill("{");
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("#answer .fault").filter({ hasText: "This is not JSON" }).waitFor();
  await page.locator("#written-Run").fill(edited);
  await page.getByRole("button", { name: "Run" }).click();
  await said(page, "Answer");
  assert.equal((await answer(page)).pieces, 7);
  await call(page);
  await said(page, "The call waits for a person");
  await page.getByText("Answer in its place").click();
  await page.locator("#written-Answer").fill('{"ordered": 9223372036854775807}');
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await said(page, "Answer");
  // Digit for digit, which a number of JavaScript's is not.
  assert.match(await page.locator("#answer pre").first().innerText(), /"ordered": 9223372036854775807$/m);
  const past = page.locator(".past details");
  assert.match(await past.first().locator("summary").innerText(), /^order: Answer$/);
  await past.first().locator("summary").click();
  assert.match(await past.first().innerText(), /9223372036854775807/);
  assert.ok((await past.count()) >= 4 && (await past.count()) <= 10);
  const marks = await page.locator(".marks li").allInnerTexts();
  assert.deepEqual(marks.slice(0, -1), ["destructive", "requires approval"]);
  assert.match(marks.at(-1), /^\d+ tokens at most$/);
  await page.getByText("Schema of the arguments").click();
  assert.match(await page.locator("#tool pre").filter({ hasText: '"properties"' }).innerText(), /"quantity": \{/);
  await sound(page);

  // The tool as each provider would get it; the choice stays from tool to tool.
  const sent = page.locator("#tool details", { hasText: "As a provider gets it" });
  const summary = sent.locator("summary");
  await summary.click();
  const wires = { openai_chat: /"strict": true/, openai_responses: /"strict": true/, anthropic: /"input_schema"/,
    gemini: /"functionDeclarations"/, ollama: /"function"/, bedrock: /"toolSpec"/, mcp: /"inputSchema"/, mcp_2026: /"inputSchema"/ };
  await sent.locator("pre").waitFor();
  assert.deepEqual(await sent.locator("option").evaluateAll((all) => all.map((one) => one.value).sort()), Object.keys(wires).sort());
  for (const [wire, words] of Object.entries(wires)) {
    await page.getByLabel("Provider").selectOption(wire);
    assert.match(await sent.locator("pre").innerText(), words, wire);
    assert.match(await sent.locator("pre").innerText(), /"quantity"/, wire);
  }
  await page.getByLabel("Provider").selectOption("gemini");
  assert.match(await sent.locator("li").first().innerText(), /^\/customer\/name: demoted minLength 1$/);
  await sound(page);
  await page.screenshot({ path: `${pictures}/desktop-provider.png`, fullPage: true });
  await page.route("**/tools/login/definitions", (route) => route.fulfill({ json: { gemini: { dialect: "gemini_json", refused: ["/a: no"] } } }));
  await tool(page, "login");
  assert.match((await page.locator(".marks li").allInnerTexts()).join(), /^\d+ tokens at most$/);
  await summary.click();
  await sent.locator("li").filter({ hasText: /^\/a: no$/ }).waitFor();
  assert.equal(await sent.locator(".fault").innerText(), "gemini_json does not accept this tool:");
  assert.equal(await page.getByLabel("Provider").inputValue(), "gemini");
  await page.screenshot({ path: `${pictures}/desktop-refused.png`, fullPage: true });

  // What is read and written again is the text that it was; what is not JSON stays text.
  const texts = ["-9223372036854775808", '{"a":[1e400,{"__proto__":2.50}],"b":"x{,\\"]","c":{},"d":[],"e":null}', '"\\\\"', "true"];
  assert.deepEqual(await page.evaluate(async (texts) => {
    const { parse, stringify } = await import("/page/json.js");
    return texts.map((text) => stringify(parse(text)));
  }, texts), texts);
  for (const text of ["", "{", "01", "[1,]"]) {
    const isRefused = page.evaluate(async (text) => (await import("/page/json.js")).parse(text), text);
    await assert.rejects(isRefused, /SyntaxError/, text);
  }

  // Progress, and a call that is cancelled.
  await tool(page, "count");
  await page.locator("#tool").getByLabel("to").first().fill("500");
  await page.getByLabel("pause").fill("20");
  await call(page);
  await page.locator("#answer .help").filter({ hasText: /^[1-9][0-9]* of 500: that was/ }).waitFor();
  assert.equal(await page.locator("#answer progress").getAttribute("max"), "500");
  await page.screenshot({ path: `${pictures}/desktop-progress.png`, fullPage: true });
  await page.getByRole("button", { name: "Cancel" }).click();
  await said(page, "Cancelled");
  assert.equal(await page.getByRole("button", { name: "Call" }).isEnabled(), true);

  // A secret is not shown, and a tool's own failure is.
  await tool(page, "login");
  assert.equal(await page.getByLabel("password").getAttribute("type"), "password");
  await page.getByLabel("user").fill("ada");
  await page.getByLabel("password").fill("swordfish");
  await call(page);
  await said(page, "Failed");
  assert.match(await page.locator("#answer").innerText(), /user or password is wrong/);
  assert.doesNotMatch(await page.locator("body").innerText(), /swordfish/);

  // A question, and arguments that are written by hand.
  await tool(page, "travel");
  await call(page);
  await said(page, "The tool asks");
  assert.match(await page.locator("#answer").innerText(), /Where to\?/);
  await page.getByText("Arguments as JSON").click();
  await page.locator("#raw-text").fill('{"to": "Oslo"');
  await call(page);
  await said(page, "Failed");
  assert.match(await page.locator("#tool .fault[role=alert]").innerText(), /not valid JSON/);
  await page.locator("#raw-text").fill('{"to": "Oslo"}');
  await call(page);
  await said(page, "Answer");
  assert.equal(await page.locator("#answer pre").innerText(), "on the way to Oslo");

  assert.deepEqual(wrong, []);
  await close();
}

/** Without a mouse. */
async function keyboard() {
  const { page, wrong, close } = await open({ viewport: { width: 1280, height: 900 } });
  const focused = () => page.evaluate(() => document.activeElement.labels?.[0]?.firstChild?.textContent ?? document.activeElement.textContent);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the tool");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("slowly");
  assert.equal(await page.locator("#list button").count(), 1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator("#tool h2").filter({ hasText: "count" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "to");
  await page.keyboard.type("2");
  await page.keyboard.press("Tab");
  await page.keyboard.type("1");
  await page.keyboard.press("Control+Enter");
  await said(page, "Answer");
  assert.equal(await page.locator("#answer pre").innerText(), "2");
  assert.equal(new URL(page.url()).hash, "#/count");
  assert.deepEqual(wrong, []);
  await close();
}

async function phone() {
  for (const colorScheme of ["light", "dark"]) {
    const { page, wrong, close } = await open(
      { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme },
      "/#/order",
    );
    await page.locator("#tool h2").filter({ hasText: "order" }).waitFor();
    await page.getByLabel("sku").fill("tea");
    await page.getByLabel("delivery").first().selectOption({ label: "by: pickup" });
    await sound(page);
    await page.getByRole("button", { name: "Call" }).tap();
    await said(page, "The arguments do not fit");
    assert.match(await faultAt(page, "quantity").innerText(), /missing/);
    await page.screenshot({ path: `${pictures}/phone-${colorScheme}.png`, fullPage: true });
    assert.deepEqual(wrong, []);
    await close();
  }
  const { page, close } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: "dark" }, "/#/forecast");
  await page.getByLabel("location").fill("Oslo");
  await call(page);
  await said(page, "Answer");
  await page.getByText("As a provider gets it").click();
  await page.locator("#provider + div pre").waitFor();
  await page.screenshot({ path: `${pictures}/desktop-dark.png`, fullPage: true });
  await close();
}

try {
  await desktop();
  await keyboard();
  await phone();
  console.log(`the page works; its pictures are in ${pictures}`);
} finally {
  await browser.close();
}
