// SPDX-License-Identifier: Apache-2.0
// Chromium, the command, and pages made with it.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const cardan = process.env.CARDAN;
export const folder = join(process.cwd(), `pages-${process.pid}`);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const executablePath = process.env.CHROMIUM ?? places.find(existsSync);
if (!executablePath) {
  throw new Error(`Chromium was not found (${places.join(", ")}): install it, or set CHROMIUM to its path`);
}

/** WebGL by software, no sandbox for root, and nothing that asks the network for anything. What is around the 3-D view
 * is drawn without WebGL's means, edges are not smoothed, and shaders are compiled once, not in parts first: 0.8 s of
 * processor time to open a page and 0.07 s for a frame, not 1.6 s and 0.19 s. Not where pictures are compared. */
export function launch({ pictures = false } = {}) {
  const lean = ["--disable-gpu-compositing", "--webgl-msaa-sample-count=0", "--disable-angle-features=supportsGraphicsPipelineLibrary"];
  return chromium.launch({
    executablePath,
    args: [
      ...(process.getuid() === 0 ? ["--no-sandbox"] : []), ...(pictures ? [] : lean), "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
  });
}

/** How long a test waits for a state before it fails [ms]: only a page that hangs takes so long, however busy the machine. */
export const HANG_MS = 300000;

/** Waits until `reached` returns true. */
export async function until(what, reached) {
  for (const begin = Date.now(); !(await reached()); ) {
    if (Date.now() - begin > HANG_MS) {
      throw new Error(`waited in vain: ${what}`);
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Two frames later: what was requested before is drawn, as far as the page draws at once. */
export function frames(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Runs the command; its exit status and what it said. */
export function run(...args) {
  try {
    return { status: 0, out: execFileSync(cardan, args, { cwd: folder, encoding: "utf8", stdio: "pipe" }), err: "" };
  } catch (error) {
    return { status: error.status, out: error.stdout, err: error.stderr };
  }
}

/** A table as an object of columns. */
export function table(name) {
  const [head, ...rows] = readFileSync(join(folder, name), "utf8").trim().split("\n").map((line) => line.split(","));
  return Object.fromEntries(head.map((column, k) => [column, rows.map((row) => Number(row[k]))]));
}

export function write(name, text) {
  writeFileSync(join(folder, name), text);
}

// Windows whose page was closed, by their browser. A process that has read the program before opens a page in 1 s of
// processor time less than a new one; what a page leaves behind goes with its document.
const empty = new Map();

/** The first window. The browser fetches what WebGL has drawn pixel by pixel, as the options of launch require, and warns
 * of that as if the page did so itself: this warning is ours, not the page's. */
async function newWindow(browser) {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(HANG_MS);
  await page.addInitScript(() => {
    for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
      const { readPixels } = prototype;
      prototype.readPixels = function (...args) {
        console.warn("readPixels, which waits for all that was drawn");
        return readPixels.apply(this, args);
      };
    }
  });
  return page;
}
const FETCHED = /GPU stall due to ReadPixels/;

/** A window, with nothing in it and the pointer in its corner. */
async function takeWindow(browser, { width, height, dark, still, offline }) {
  const page = empty.get(browser)?.pop() ?? (await newWindow(browser));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ media: null, colorScheme: dark ? "dark" : "light", reducedMotion: still ? "reduce" : "no-preference" });
  await page.context().setOffline(offline);
  return page;
}

/** Empties the window for the next page. */
async function leave(browser, page, listeners) {
  listeners.forEach(([event, listener]) => page.off(event, listener));
  await page.goto("about:blank");
  await page.mouse.move(0, 0);
  empty.set(browser, [...(empty.get(browser) ?? []), page]);
}

/** A page in a window of its own without a network; complaints gathers what must not happen. */
export async function open(browser, address, { width = 1280, height = 800, dark = false, still = true, offline = true } = {}) {
  const page = await takeWindow(browser, { width, height, dark, still, offline });
  const complaints = [];
  const own = (url) => url === address.replace(/#.*/, "") || url.startsWith("blob:") || url.startsWith("data:");
  const listeners = [
    ["console", (m) => ["error", "warning"].includes(m.type()) && !FETCHED.test(m.text()) && complaints.push(`${m.type()}: ${m.text()}`)],
    ["pageerror", (e) => complaints.push(`error: ${e.message}`)],
    ["dialog", (d) => { complaints.push(`dialog: ${d.message()}`); d.dismiss(); }],
    ["request", (r) => own(r.url()) || complaints.push(`request: ${r.url()}`)],
  ];
  listeners.forEach(([event, listener]) => page.on(event, listener));
  await page.goto(address);
  await page.waitForFunction(() => window.cardan?.app);
  return { page, complaints, close: () => leave(browser, page, listeners) };
}

export function fileAddress(name) {
  return `file://${join(folder, name)}`;
}

/** How many pixels of the 3-D view are drawn, and how many colours they have. */
export function drawn(page) {
  return page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const from = document.querySelector(".canvas canvas");
    const to = document.createElement("canvas");
    to.width = from.width;
    to.height = from.height;
    const context = to.getContext("2d");
    context.drawImage(from, 0, 0);
    const { data } = context.getImageData(0, 0, to.width, to.height);
    const colors = new Set();
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 8) {
        count++;
        colors.add((data[i] >> 4) * 256 + (data[i + 1] >> 4) * 16 + (data[i + 2] >> 4));
      }
    }
    return { count, colors: colors.size };
  });
}

/** `cardan view` at work: its address, what it says on the standard error, and how to end it. */
export function view(args, environment = {}) {
  const child = spawn(cardan, ["view", ...args], { cwd: folder, env: { ...process.env, ...environment } });
  const said = { err: "" };
  child.stderr.on("data", (bytes) => (said.err += bytes));
  const ended = new Promise((done) => child.on("exit", done));
  const address = new Promise((done, fail) => {
    child.stdout.on("data", (bytes) => done(String(bytes).trim()));
    ended.then(() => fail(new Error(`cardan view ended: ${said.err}`)));
  });
  address.catch(() => {});
  return { address, said, ended, stop: async () => { child.kill("SIGINT"); await ended; } };
}
