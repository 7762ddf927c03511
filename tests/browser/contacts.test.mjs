// SPDX-License-Identifier: Apache-2.0
// Contacts on pages: places and arrows, strokes at impacts, states, stacked losses.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { drawn, fileAddress, launch, open, run, table, write } from "./support.mjs";

// a ball that bounces and does not come to rest, a block that slides and then sticks
write("touch.mbs", `(system "touch" (gravity 0 0 -9.81)
  (place (0 0 0) (name "ground") (solid plane))
  (place (0 0 0.6) (joint free "ball" (mass 1 0.004 0.004 0.004) (solid sphere 0.1)))
  (place (1 0 0.05) (joint free "block" (mass 1 0.01 0.01 0.01) (solid box 0.3 0.2 0.1)))
  (contact "ball" "ground" (friction 0.2) (restitution 0.7))
  (contact "block" "ground" (friction 0.4) (name "under the block"))
  (simulate (dt 0.005) (time 1.5)))\n`);
write("plain.mbs", `(system "plain" (gravity 0 0 -9.81) (ry "q" (tz -1 (mass 1))))\n`);

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

describe("a page with contacts", () => {
  before(() => {
    const { status, err } = run("run", "touch.mbs", "--init", "v.block.vx=1.5,v.ball.vx=0.5", "--report", "touch.html", "--out", "touch.csv", "--add", "contacts,work", "--quiet");
    assert.equal(status, 0, err);
  });

  test("shows where they are, and hides them", async () => {
    const { page, complaints, close } = await open(browser, fileAddress("touch.html"));
    await page.evaluate(() => window.cardan.app.player.seek(0.2));
    const button = page.getByRole("button", { name: "Contacts" });
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    const shown = await drawn(page);
    await page.keyboard.press("c");
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.notDeepEqual(await drawn(page), shown);
    const places = await page.evaluate(() => {
      const { times, first, vectors, states } = window.cardan.app.page.runs[0].places;
      const k = times.findIndex((t) => t >= 0.2);
      const at = [...Array(first[k + 1] - first[k]).keys()].map((i) => first[k] + i);
      return at.map((i) => [...vectors.slice(6 * i, 6 * i + 6), states[i]]);
    });
    // the block's four corners slide: their normal forces carry it, friction is 0.4 of them
    assert.equal(places.length, 4);
    const sum = (k) => places.reduce((a, p) => a + p[k], 0);
    assert.ok(Math.abs(sum(5) - 9.81) < 1e-3 && Math.abs(sum(3) + 0.4 * 9.81) < 1e-3, JSON.stringify(places));
    assert.ok(places.every((p) => Math.abs(p[2]) < 1e-6 && p[6] === 4 * 1 + 2));
    assert.deepEqual(complaints, []);
    await close();
  });

  test("has strokes at impacts, and lanes of what sticks and slides", async () => {
    const rows = table("touch.csv");
    const impacts = rows.impacts.filter((n, i) => i > 0 && n > rows.impacts[i - 1]).length;
    const { page, close } = await open(browser, fileAddress("touch.html"));
    assert.ok(impacts >= 2);
    assert.equal(await page.locator(".marks i").count(), impacts);
    const lanes = page.locator("figure", { has: page.getByRole("heading", { name: "Contacts", exact: true }) });
    assert.deepEqual(await lanes.locator(".legend li").allTextContents(), ["sticks", "slides"]);
    assert.match(await lanes.getAttribute("aria-label"), /^Contacts against time: under the block from 1 to 2$/);
    assert.deepEqual([...new Set(rows["c.under the block.state"])].sort(), [1, 2]);
    const forces = page.locator("figure", { hasText: "Contact forces" });
    assert.ok(await forces.isVisible());
    await close();
  });

  test("stacks what impacts and friction took on the energy: the sum is flat", async () => {
    const rows = table("touch.csv");
    const { page, close } = await open(browser, fileAddress("touch.html"));
    const energy = page.locator("figure").first();
    const names = await energy.locator(".legend .name").allTextContents();
    assert.deepEqual(names, ["kinetic", "potential", "energy", "energy + lost in impact", "… + lost in friction"]);
    const sums = await page.evaluate(() => window.cardan.app.plots[0].curves.map((c) => [...c.column.delta].map((d) => c.column.first + d)));
    const sum = rows.energy.map((e, i) => e + rows["lost.impact"][i] + rows["lost.friction"][i]);
    sum.forEach((s, i) => assert.ok(Math.abs(s - sums[4][i]) < 1e-5, `${s} and ${sums[4][i]}`));
    const spread = Math.max(...sum) - Math.min(...sum);
    assert.ok(spread < 1e-3 * sum[0], `${spread} J of ${sum[0]}`);
    await close();
  });

  test("says what it took among the facts", async () => {
    const { page, close } = await open(browser, fileAddress("touch.html"));
    await page.getByRole("tab", { name: "Facts" }).click();
    const facts = await page.locator("#panel-facts").textContent();
    assert.match(facts, /Impacts\d+.*Lost in impacts.* J.*Lost in friction.* J.*Deepest overlap.*Cone problems\d+/s);
    await close();
  });
});

test("a page without contacts has nothing of them", async () => {
  const { status, err } = run("run", "plain.mbs", "--time", "1", "--report", "plain.html", "--quiet");
  assert.equal(status, 0, err);
  const { page, complaints, close } = await open(browser, fileAddress("plain.html"));
  assert.equal(await page.getByRole("button", { name: "Contacts" }).count(), 0);
  assert.equal(await page.locator(".marks").count(), 0);
  assert.equal(await page.getByRole("heading", { name: /Contact|gap/ }).count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

for (const [width, dark] of [[390, false], [1600, true]]) {
  test(`contacts fit ${width} pixels, ${dark ? "dark" : "light"}`, async () => {
    const { page, complaints, close } = await open(browser, fileAddress("touch.html"), { width, height: 800, dark });
    await drawn(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} pixels wide`);
    assert.deepEqual(complaints, []);
    await close();
  });
}
