// Reads the guide as people do: opens every page, follows the arrows, searches, on a desktop and on a phone, light and dark.
// Arguments: the folder of the guide, and where its pictures go.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const [folder, pictures] = process.argv.slice(2);
const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json" };
const server = createServer(async (request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, "http://guide").pathname));
  try {
    const body = await readFile(join(folder, path === "/" ? "index.html" : path));
    response.writeHead(200, { "content-type": types[extname(path)] ?? (path === "/" ? "text/html" : "text/plain") }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

/** A page whose errors, missing files, and requests to elsewhere fail the test. */
async function open(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("response", (response) => response.status() >= 400 && wrong.push(`${response.status()} ${response.url()}`));
  page.on("request", (request) => request.url().startsWith(url) || request.url().startsWith("data:") || wrong.push(request.url()));
  return { page, wrong, close: () => context.close() };
}

async function names(within = "") {
  const entries = await readdir(join(folder, within), { withFileTypes: true });
  const found = entries.filter((it) => it.name.endsWith(".html") && !["404.html", "print.html", "toc.html"].includes(it.name));
  return found.map((it) => within + it.name);
}

/** Every page has a title and its text, fits the width, and shows each block of code that its text has. */
async function pages() {
  const { page, wrong, close } = await open({ viewport: { width: 390, height: 844 } });
  const all = [...(await names()), ...(await names("migrate/"))];
  assert.ok(all.length > 25, `${all.length} pages`);
  for (const name of all) {
    await page.goto(`${url}/${name}`);
    assert.ok((await page.locator("main h1").first().innerText()).length > 3, name);
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.ok(!isTooWide, `${name} is wider than a phone`);
    const text = await readFile(join(folder, name.replace(/html$/, "md")), "utf8");
    assert.ok(!text.includes("{{#"), `${name} includes something that is not there`);
    assert.equal(await page.locator("main pre code").count(), (text.match(/^```/gm) ?? []).length / 2, name);
  }
  assert.deepEqual(wrong, []);
  await close();
  return all.length;
}

async function desktop() {
  const { page, wrong, close } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  await page.goto(url);
  await page.screenshot({ path: join(pictures, "guide-light.png") });
  await page.getByRole("link", { name: "A first tool in a minute", exact: false }).first().click();
  await page.locator("main h1", { hasText: "A first tool in a minute" }).waitFor();
  await page.screenshot({ path: join(pictures, "guide-first-tool.png") });
  await page.keyboard.press("ArrowRight");
  await page.locator("main h1", { hasText: "Arguments and types" }).waitFor();
  await page.goto(url + "/costs.html");
  await page.locator("img").first().waitFor();
  await page.screenshot({ path: join(pictures, "guide-costs.png"), fullPage: true });
  assert.deepEqual(wrong, []);
  await close();
}

async function search() {
  const { page, wrong, close } = await open({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  await page.keyboard.press("s");
  for (const [words, leadsTo] of [["approval", "serve"], ["elicitation", "mcp"], ["look-around", "errors"]]) {
    const bar = page.locator("#mdbook-searchbar");
    await bar.fill("");
    await bar.pressSequentially(words);
    const first = page.locator("#mdbook-searchresults a");
    await first.first().waitFor();
    const links = await first.evaluateAll((all) => all.map((it) => it.getAttribute("href")));
    assert.ok(links.some((link) => link.includes(leadsTo)), `${words}: ${links}`);
  }
  await page.screenshot({ path: join(pictures, "guide-search.png") });
  assert.deepEqual(wrong, []);
  await close();
}

async function phone() {
  const options = { viewport: { width: 390, height: 844 }, colorScheme: "dark", isMobile: true, hasTouch: true };
  const { page, wrong, close } = await open(options);
  await page.goto(url + "/first-tool.html");
  await page.screenshot({ path: join(pictures, "guide-dark-phone.png") });
  await page.locator("#mdbook-sidebar-toggle").first().click();
  await page.getByRole("link", { name: "Results and errors", exact: false }).first().waitFor();
  await page.screenshot({ path: join(pictures, "guide-dark-phone-menu.png") });
  const background = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const [red, green, blue] = background.match(/\d+/g).map(Number);
  assert.ok(red + green + blue < 250, `dark is ${background}`);
  assert.deepEqual(wrong, []);
  await close();
}

const index = await readFile(join(folder, "llms.txt"), "utf8");
const listed = index.match(/\]\([^)]*\/([a-z/-]+\.md)\)/g).length;
const count = await pages();
assert.equal(listed, count, "llms.txt lists every page");
await desktop();
await search();
await phone();
await browser.close();
server.close();
console.log(`${count} pages read, searched and looked at`);
