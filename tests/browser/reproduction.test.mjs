// SPDX-License-Identifier: Apache-2.0
// The page of a paper.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { broken, hostile, paper } from "./paper.mjs";
import { fileAddress, folder, frames, launch, open, run, until, write } from "./support.mjs";

/** The page as the library makes it, from data of our own. */
function wrap(data) {
  const page = readFileSync("../../viewer/page.html", "utf8");
  return page.replace("<!--cardan:data-->", () => JSON.stringify(data).replaceAll("<", "\\u003c"));
}

/** How many pixels of a figure have a colour of their own. */
function coloured(page, figure) {
  return page.evaluate(async (k) => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const from = document.querySelectorAll("figure canvas")[k];
    const to = document.createElement("canvas");
    to.width = from.width;
    to.height = from.height;
    const context = to.getContext("2d");
    context.drawImage(from, 0, 0);
    const { data } = context.getImageData(0, 0, to.width, to.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b, a] = data.subarray(i, i + 4);
      count += a > 128 && Math.max(r, g, b) - Math.min(r, g, b) > 60 ? 1 : 0;
    }
    return count;
  }, figure);
}

let browser;
before(async () => {
  browser = await launch();
  write("paper.html", wrap(paper));
  write("hostile.html", wrap(hostile()));
  write("broken.html", wrap(broken()));
});
after(() => browser?.close());

const { items, errata } = paper.reproduction;

test("every item is there with its verdict, its story and its numbers", async () => {
  const { page, complaints, close } = await open(browser, fileAddress("paper.html"));
  assert.equal(await page.locator("h1").textContent(), paper.reproduction.title);
  assert.match(await page.locator(".quick").textContent(), /cardan reproduce fixture/);
  assert.equal(await page.locator(".summary tbody tr").count(), items.length);
  for (const [i, item] of items.entries()) {
    const row = page.locator(".summary tbody tr").nth(i);
    assert.equal(await row.getByRole("link").textContent(), item.title);
    assert.ok((await row.textContent()).includes(item.verdict));
    const section = page.locator(`#${item.name}`);
    const text = await section.textContent();
    for (const piece of [item.title, item.claimed, item.verdict, item.command]) {
      assert.ok(text.includes(piece), `${item.name}: ${piece}`);
    }
    assert.equal(await section.locator("figure").count(), item.plots.length);
    assert.equal(await section.locator(".claims tbody tr").count(), item.claims.length);
    assert.equal(await section.locator(".warning").count(), item.holds ? 0 : 1);
  }
  assert.equal(await page.locator("#errata li").count(), errata.length);
  assert.match(await page.locator("#errata").textContent(), /Eq\. \(14\).*By parts/);
  assert.deepEqual(complaints, []);
  await close();
});

test("our numbers are next to the paper's, and differences are reported", async () => {
  const { page, close } = await open(browser, fileAddress("paper.html"));
  const cells = page.locator("#table-1 .scroll tbody tr").first().locator("th, td");
  assert.deepEqual((await cells.allTextContents()).slice(0, 3), ["trapezoidal rule", "0.01235 (1.2)", "0.02469"]);
  const claims = page.locator("#fig-4 .claims tbody tr");
  assert.deepEqual(await claims.nth(0).locator("th, td").allTextContents(), ["iterations", "5.69", "7.4", "5.5 to 6", "✗ no"]);
  assert.deepEqual(await claims.nth(1).locator("th, td").allTextContents(), ["iterations at most", "9", "9", "exactly 9", "✓ yes"]);
  assert.deepEqual(await claims.nth(2).locator("th, td").allTextContents(), ["a number that could not be had", "1\u00a0m", "–", "0 to 1", "✗ no"]);
  assert.match(await page.locator("#fig-4 .warning").textContent(), /Not as expected: iterations; a number that could not be had\./);
  assert.match(await page.locator(".intro .warning").textContent(), /^1 of 4 items not as expected: Fig\. 4/);
  assert.deepEqual(await page.locator(".counts b").allTextContents(), ["2", "1", "1"]);
  await close();
});

test("figures are drawn; names switch curves", async () => {
  const { page, complaints, close } = await open(browser, fileAddress("paper.html"));
  const figures = items.flatMap((i) => i.plots);
  for (const [k, plot] of figures.entries()) {
    assert.ok((await coloured(page, k)) > 200, plot.title);
  }
  const entry = page.locator("#fig-2b .curves button").first();
  assert.equal(await entry.textContent(), "RIQN");
  const all = await coloured(page, 0);
  await entry.click();
  assert.equal(await entry.getAttribute("aria-pressed"), "false");
  const one = await coloured(page, 0);
  assert.ok(one < 0.7 * all, `${one} of ${all}`);
  await entry.focus();
  await page.keyboard.press("Space");
  assert.equal(await entry.getAttribute("aria-pressed"), "true");
  assert.equal(await coloured(page, 0), all);
  // ours and theirs of one name have one colour
  const colors = await page.evaluate(() => window.cardan.app.figures[1].curves.map((c) => c.color));
  assert.deepEqual(colors.slice(3, 6), colors.slice(0, 3));
  assert.equal(await page.locator("#fig-3 .curves button").nth(3).textContent(), "SVI, Newton (paper)");
  assert.deepEqual(complaints, []);
  await close();
});

test("values are shown at the mouse and at the arrow keys", async () => {
  const { page, close } = await open(browser, fileAddress("paper.html"));
  const over = page.locator("#fig-2b .u-over");
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const at = page.locator("#fig-2b .at");
  const middle = Number((await at.textContent()).match(/^time \[s\]: (.*)$/)[1]);
  assert.ok(Math.abs(middle - 50) < 0.5, `${middle}`);
  const shown = Number((await page.locator("#fig-2b output").nth(1).textContent()).replace("−", "-"));
  assert.ok(Math.abs(shown - 2e-6 * Math.sin(middle / 7)) < 2e-8, `${shown}`);
  // a curve that has no point there says where the nearest is
  assert.match(await page.locator("#fig-2b output").nth(0).textContent(), / at (46|53)\./);
  const figure = page.locator("#fig-3 .plot");
  await figure.focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("#fig-3 .at").textContent(), /^degrees of freedom: 10\.\d+$/);
  assert.match(await page.locator("#fig-3 output").nth(3).textContent(), /^23( at 10)?$/);
  await close();
});

test("a drag zooms, a double click and a key go back", async () => {
  const { page, complaints, close } = await open(browser, fileAddress("paper.html"));
  const over = page.locator("#fig-2b .u-over");
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  const zoom = () => page.evaluate(() => window.cardan.app.figures[0].zoom);
  await page.mouse.move(box.x + box.width * 0.25, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 64, { steps: 6 });
  await page.mouse.up();
  const { x, y } = await zoom();
  assert.ok(Math.abs(x[0] - 24) < 1 && Math.abs(x[1] - 50) < 1, `${x}`);
  assert.equal(y, undefined);
  await page.mouse.dblclick(box.x + box.width / 2, box.y + 60);
  assert.deepEqual(await zoom(), {});
  // a log axis is zoomed into less than a decade, by keys
  await page.locator("#fig-3 .plot").focus();
  for (const key of ["ArrowRight", "+", "+", "+", "+", "+"]) {
    await page.keyboard.press(key);
  }
  const [low, high] = await page.evaluate(() => window.cardan.app.figures[1].zoom.x);
  assert.ok(high / low < 1.5 && low < 10.5 && high > 10, `${low} to ${high}`);
  await page.keyboard.press("0");
  assert.deepEqual(await page.evaluate(() => window.cardan.app.figures[1].zoom), {});
  assert.deepEqual(complaints, []);
  await close();
});

for (const [width, height] of [[360, 740], [1400, 900]]) {
  for (const dark of [false, true]) {
    test(`fits ${width} x ${height}, ${dark ? "dark" : "light"}`, async () => {
      const { page, complaints, close } = await open(browser, fileAddress("paper.html"), { width, height, dark });
      assert.ok((await coloured(page, 1)) > 200);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} pixels wide`);
      const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
      assert.equal((await back()) < 128, dark);
      await page.getByRole("button", { name: "Dark or light" }).click();
      assert.equal((await back()) < 128, !dark);
      assert.ok((await coloured(page, 1)) > 200);
      assert.deepEqual(complaints, []);
      await close();
    });
  }
}

test("a picture has one scale, and keeps it", async () => {
  const { page, close } = await open(browser, fileAddress("paper.html"));
  const unit = () => page.evaluate(() => {
    const { scales, over } = window.cardan.app.figures[4].plot;
    const length = (scale, pixels) => pixels / (scale.max - scale.min);
    return [length(scales.x, over.clientWidth), length(scales.y, over.clientHeight)];
  });
  const same = ([across, up]) => assert.ok(Math.abs(across / up - 1) < 0.02, `${across} and ${up} pixels`);
  same(await unit());
  await page.locator("#fig-4 .plot").last().focus();
  await page.keyboard.press("+");
  same(await unit());
  const [before] = await unit();
  await page.setViewportSize({ width: 400, height: 800 });
  await until("the figure is narrower", async () => (await unit())[0] < 0.9 * before);
  await frames(page);
  same(await unit());
  await close();
});

test("an address with an item opens there, and keys reach everything", async () => {
  const { page, close } = await open(browser, `${fileAddress("paper.html")}#table-1`);
  const top = await page.evaluate(() => document.getElementById("table-1").getBoundingClientRect().top);
  assert.ok(top > -1 && top < 400, `${top}`);
  const names = new Set();
  await page.evaluate(() => document.activeElement.blur());
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    names.add(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent));
  }
  for (const name of ["Dark or light", items[3].title, "RIQN", "Seconds for 10 s of motion"]) {
    assert.ok(names.has(name), `${name} among ${[...names].join(", ")}`);
  }
  await close();
});

test("strange texts are text, and little data is enough", async () => {
  const { page, complaints, close } = await open(browser, fileAddress("hostile.html"), { width: 360 });
  const text = hostile().reproduction.title;
  assert.equal(await page.locator("h1").textContent(), text);
  assert.equal(await page.locator("#app script, #app img").count(), 0);
  assert.equal(await page.locator(".quick").count(), 0);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  assert.deepEqual(complaints, []);
  await close();
});

test("an item that failed is shown as such, among the others", async () => {
  const { page, complaints, close } = await open(browser, fileAddress("broken.html"), { width: 360 });
  assert.equal(await page.locator(".item").count(), items.length + 1);
  assert.deepEqual(await page.locator("#fig-5 .head .verdict").allTextContents(), ["!failed"]);
  assert.match(await page.locator("#fig-5 .outcome").textContent(), /^no convergence/);
  assert.match(await page.locator(".intro .warning").textContent(), /^2 of 5 items not as expected: Fig\. 4.*Fig\. 5/);
  assert.deepEqual(await page.locator(".counts b").allTextContents(), ["2", "1", "1", "1"]);
  assert.deepEqual(complaints, []);
  await close();
});

test("the page that the command makes shows all that it computed", async () => {
  const { status, err } = run("reproduce", "naudet", "--quick", "--quiet", "--out", "naudet");
  assert.equal(status, 0, err);
  const made = JSON.parse(readFileSync(join(folder, "naudet", "naudet.json"), "utf8")).reproduction;
  const { page, complaints, close } = await open(browser, fileAddress("naudet/naudet.html"), { width: 360 });
  assert.equal(await page.locator("h1").textContent(), made.title);
  assert.deepEqual(await page.locator(".item h2").allTextContents(), made.items.map((i) => i.title));
  assert.deepEqual(await page.locator(".item .head .verdict").allTextContents(), made.items.map((i) => ({ reproduced: "✓", differs: "≠", "cannot be known": "?" })[i.verdict] + i.verdict));
  assert.equal(await page.locator(".claims tbody tr").count(), made.items.flatMap((i) => i.claims).length);
  assert.equal(await page.locator("#errata li").count(), made.errata.length);
  for (const [k, plot] of made.items.flatMap((i) => i.plots).entries()) {
    assert.ok((await coloured(page, k)) > 200, plot.title);
  }
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  assert.deepEqual(complaints, []);
  await close();
});
