// SPDX-License-Identifier: Apache-2.0
// The pages of reports and comparisons in Chromium.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { drawn, fileAddress, folder, frames, launch, open, run, table, write } from "./support.mjs";

const MEGABYTE = 1e6;

/** Waits until the motion, played slowly so that it does not end, has drawn 15 frames. What a frame costs is reported
 * by scripts/page-speed. */
async function playFrames(page) {
  await page.evaluate(() => {
    const { player, frameTimes } = window.cardan.app;
    player.seek(0);
    player.speed = player.end / 200;
    player.play();
    frameTimes.length = 0;
  });
  await page.waitForFunction(() => window.cardan.app.frameTimes.length >= 15);
}

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

// model, options, and a column to check
const models = [
  ["closed-chain", ["--time", "5"], "q.J"],
  ["humanoid", ["--time", "1"], "q.pelvis.z"],
  ["scissor:50", ["--time", "1", "--method", "aba"], "q.s"],
  ["empty.mbs", ["--time", "1", "--method", "aba"], null],
];
write("empty.mbs", '(system "empty")\n');

for (const [model, options, column] of models) {
  const name = model.replace(/\W/g, "-");
  describe(`the page of ${model}`, () => {
    before(() => {
      const { status, err } = run("run", model, ...options, "--report", `${name}.html`, "--out", `${name}.csv`, "--quiet");
      assert.equal(status, 0, err);
    });

    test("opens without a message on the console, offline, and draws", async () => {
      const { page, complaints, close } = await open(browser, fileAddress(`${name}.html`));
      const { count, colors } = await drawn(page);
      // of a model without bodies and gravity there is nothing to draw; solids have shades
      assert.ok(column ? count > 1000 && colors >= 20 : count === 0, `${count} pixels are drawn, in ${colors} colours`);
      assert.deepEqual(complaints, []);
      await close();
    });

    test("plays by itself, pauses, seeks, and ends", async () => {
      const { page, complaints, close } = await open(browser, fileAddress(`${name}.html`), { still: false });
      const time = () => page.evaluate(() => window.cardan.app.player.time);
      await page.waitForFunction(() => window.cardan.app.player.time > 0);
      await page.getByRole("button", { name: "Pause" }).or(page.getByRole("button", { name: "Play" })).click();
      await page.evaluate(() => window.cardan.app.player.pause());
      const paused = await time();
      await frames(page);
      assert.equal(await time(), paused);
      await page.getByLabel("Time", { exact: true }).fill("0.5");
      assert.equal(await time(), 0.5);
      await page.keyboard.press("End");
      assert.equal(await time(), await page.evaluate(() => window.cardan.app.player.end));
      assert.deepEqual(complaints, []);
      await close();
    });

    test("shows the table's numbers", { skip: column === null && "there are none" }, async () => {
      const rows = table(`${name}.csv`);
      const { page, close } = await open(browser, fileAddress(`${name}.html`));
      for (const share of [0, 0.37, 1]) {
        const i = Math.round(share * (rows.t.length - 1));
        for (const c of [column, "energy", "kinetic"]) {
          const shown = await page.evaluate(([n, t]) => window.cardan.app.value(n, t), [c, rows.t[i]]);
          // pages hold differences from the first row with 24 bits
          const span = Math.max(...rows[c].map((v) => Math.abs(v - rows[c][0])));
          assert.ok(Math.abs(shown - rows[c][i]) <= 2 ** -22 * (span + 2 ** -29 * Math.abs(rows[c][0])), `${c} at ${rows.t[i]}`);
        }
      }
      // and what a reader sees in the legend is that number
      const i = Math.floor(rows.t.length / 2);
      await page.evaluate((t) => window.cardan.app.player.seek(t), rows.t[i]);
      const kinetic = page.locator("figure li", { hasText: "kinetic" }).locator("output");
      const six = String(Number(rows.kinetic[i].toPrecision(6)));
      await page.waitForFunction(([e, text]) => e.textContent === text, [await kinetic.elementHandle(), six]);
      await close();
    });

    test("draws frame after frame while it plays", async () => {
      const { page, complaints, close } = await open(browser, fileAddress(`${name}.html`), { still: false, width: 800, height: 600 });
      await playFrames(page);
      assert.deepEqual(complaints, []);
      await close();
    });
  });
}

describe("any page", () => {
  test("is worked by keys", async () => {
    const { page, close } = await open(browser, fileAddress("closed-chain.html"));
    const time = () => page.evaluate(() => window.cardan.app.player.time);
    await page.keyboard.press("ArrowRight");
    const step = await time();
    assert.ok(step > 0);
    await page.keyboard.press("Shift+ArrowRight");
    assert.ok(Math.abs((await time()) - 11 * step) < 1e-9);
    await page.keyboard.press("ArrowLeft");
    assert.ok(Math.abs((await time()) - 10 * step) < 1e-9);
    await page.keyboard.press("Home");
    assert.equal(await time(), 0);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => window.cardan.app.player.playing);
    await page.keyboard.press("Space");
    assert.equal(await page.evaluate(() => window.cardan.app.player.playing), false);
    // everything that can be worked is reached by Tab, and shows where the focus is
    const names = new Set();
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      names.add(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent));
    }
    for (const name of ["Play", "Time", "Speed", "Fit", "Joints", "Frames", "Follow a body", "Trace a point", "Plots", "Dark or light"]) {
      assert.ok(names.has(name), `${name} among ${[...names].join(", ")}`);
    }
    await page.getByRole("tab", { name: "Plots" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getByRole("tab", { name: "Bodies" }).getAttribute("aria-selected"), "true");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, "solid");
    await close();
  });

  test("has names for screen readers", async () => {
    const { page, close } = await open(browser, fileAddress("closed-chain.html"));
    assert.match(await page.getByRole("img").first().getAttribute("aria-label"), /3-D view of closed-chain: 7 bodies, 7 joints/);
    assert.match(await page.getByLabel("Time", { exact: true }).getAttribute("aria-valuetext"), /^0\.00 s of 5\.00 s$/);
    assert.match(await page.locator("figure").first().getAttribute("aria-label"), /Energy against time: kinetic from .* to /);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")]
      .filter((e) => !e.getAttribute("aria-label") && !e.textContent.trim()).map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
    await close();
  });

  test("follows, traces, and shows frames and joints", async () => {
    const { page, complaints, close } = await open(browser, fileAddress("closed-chain.html"));
    const plain = await drawn(page);
    await page.getByRole("button", { name: "Joints" }).click();
    await page.getByRole("button", { name: "Frames" }).click();
    await page.getByLabel("Trace a point").selectOption({ label: "O" });
    const shown = await drawn(page);
    assert.notDeepEqual(shown, plain);
    await page.getByLabel("Follow a body").selectOption({ label: "M" });
    await page.evaluate(() => window.cardan.app.player.seek(2));
    await drawn(page);
    assert.deepEqual(complaints, []);
    await close();
  });

  test("zooms and seeks from its plots", async () => {
    const { page, close } = await open(browser, fileAddress("closed-chain.html"));
    const box = await page.locator(".u-over").first().boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    const time = await page.evaluate(() => window.cardan.app.player.time);
    assert.ok(Math.abs(time - 2.5) < 0.05, `${time}`);
    await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 30, { steps: 5 });
    await page.mouse.up();
    const shown = () => page.evaluate(() => window.cardan.app.plots.map((p) => p.shown));
    for (const [low, high] of await shown()) {
      assert.ok(Math.abs(low - 1) < 0.05 && Math.abs(high - 2) < 0.05, `${low} to ${high}`);
    }
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 30);
    assert.deepEqual((await shown())[0], [0, 5]);
    await close();
  });

  for (const [width, height] of [[390, 844], [1920, 1080]]) {
    for (const dark of [false, true]) {
      test(`fits ${width} x ${height}, ${dark ? "dark" : "light"}`, async () => {
        const { page, complaints, close } = await open(browser, fileAddress("closed-chain.html"), { width, height, dark });
        assert.ok((await drawn(page)).count > 1000);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} pixels wide`);
        const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
        assert.equal(back[0] < 128, dark);
        await page.getByRole("button", { name: "Dark or light" }).click();
        const other = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
        assert.equal(other[0] < 128, !dark);
        assert.deepEqual(complaints, []);
        await close();
      });
    }
  }

  test("shows strange names as text", async () => {
    const names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "a\u2028b 😀 é", "x".repeat(9999)];
    const joints = names.map((n, i) => `(ry "${n}" (tz ${-1 - i} (name "f${n}") (mass 1)))`).join("\n");
    write("names.mbs", `(system "${names[0]}${names[1]}"\n(gravity 0 0 -9.81)\n${joints}\n(initial ${names.map((n) => `("${n}" 0.5)`).join(" ")}))\n`);
    const { status, err } = run("run", "names.mbs", "--time", "1", "--report", "names.html", "--quiet");
    assert.equal(status, 0, err);
    const { page, complaints, close } = await open(browser, fileAddress("names.html"));
    assert.equal(await page.locator("h1").getAttribute("title"), names[0] + names[1]);
    assert.equal(await page.locator("#app script, #app img").count(), 0);
    const titles = await page.evaluate(() => [...document.querySelectorAll(".legend li")].map((e) => e.title));
    for (const n of names) {
      assert.ok(titles.includes(n), n.slice(0, 40));
    }
    await page.getByRole("tab", { name: "Model" }).click();
    assert.ok((await page.locator(".source").textContent()).includes(names[0]));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 1280, `${wide} pixels wide`);
    assert.deepEqual(complaints, []);
    await close();
  });

  test("of a million steps is small, plays, and keeps extremes", async () => {
    const { status, err } = run("run", "pendulum:5", "--method", "aba", "--integrator", "semi-implicit", "--time", "1000", "--dt", "0.001", "--report", "long.html", "--quiet");
    assert.equal(status, 0, err);
    const size = statSync(join(folder, "long.html")).size;
    console.log(`a million steps: ${(size / MEGABYTE).toFixed(1)} MB`);
    assert.ok(size < 10 * MEGABYTE);
    const { page, complaints, close } = await open(browser, fileAddress("long.html"), { still: false, width: 800, height: 600 });
    await playFrames(page);
    const [drift, shown] = await page.evaluate(() => {
      const [r] = window.cardan.app.page.runs;
      const { min, max } = r.byName.get("energy");
      return [r.stats.driftMax, Math.max(...max, ...min.map(Math.abs))];
    });
    assert.ok(Math.abs(shown - drift) <= 1e-6 * drift, `${shown} of ${drift}`);
    assert.deepEqual(complaints, []);
    await close();
  });
});

test("modes: a table to choose from, and the chosen one goes round", async () => {
  write("two.mbs", '(system "two" (gravity 0 0 -9.81) (ry "a" (tz -1 (mass 1) (ry "b" (tz -1 (mass 1))))))\n');
  const { status, err } = run("modes", "two.mbs", "--report", "modes.html", "--json");
  assert.equal(status, 0, err);
  const { page, complaints, close } = await open(browser, fileAddress("modes.html"), { still: false });
  const chips = page.locator("table.compare .chip");
  assert.deepEqual(await chips.allTextContents(), ["Mode 1", "Mode 2"]);
  const period = () => page.evaluate(() => window.cardan.app.player.end);
  const swing = (k) => (2 * Math.PI) / Math.sqrt((2 + k * Math.SQRT2) * 9.81); // of masses 1 on rods 1
  assert.ok(Math.abs(await period() - swing(-1)) < 1e-6);
  await chips.nth(1).click();
  assert.ok(Math.abs(await period() - swing(1)) < 1e-6);
  assert.equal(await page.locator('table.compare .chip[aria-pressed="true"]').textContent(), "Mode 2");
  // at its end it begins again
  await page.evaluate(() => { const { player } = window.cardan.app; player.seek(player.end); player.advance(0.01); });
  assert.ok(await page.evaluate(() => window.cardan.app.player.time < window.cardan.app.player.end / 2 && window.cardan.app.player.playing));
  const bend = await page.evaluate(() => { const { app } = window.cardan; return [0, 0.25].map((part) => app.value("q.b", part * app.player.end)); });
  assert.ok(Math.abs(bend[0]) < 1e-6 && Math.abs(bend[1]) > 0.05, String(bend));
  assert.deepEqual(complaints, []);
  await close();
});

test("a comparison: table, overlay, plots, refusals", async () => {
  const { status, out, err } = run("compare", "pendulum:5", "--methods", "aba/semi-implicit,aba/rk4", "--time", "1", "--dt", "0.02,0.01", "--report", "compare.html", "--json");
  assert.equal(status, 0, err);
  const { entries } = JSON.parse(out);
  assert.equal(entries.length, 4);
  const { page, complaints, close } = await open(browser, fileAddress("compare.html"));
  assert.equal(await page.locator("table.compare tbody tr").count(), 4);
  assert.deepEqual(await page.locator(".legend.over li").allTextContents(), ["aba/semi-implicit", "aba/rk4", "aba/dopri5 at 1e-12"]);
  assert.match(await page.getByLabel(/^Error against work/).getAttribute("aria-label"), /aba\/rk4 at 0.01/);
  const { colors } = await drawn(page);
  assert.ok(colors > 20);
  // lines run from step to step, whatever their times were; cost by evaluations is the same on every machine
  const work = page.locator("figure.work");
  const cost = work.getByLabel("Cost of a run");
  assert.deepEqual(await cost.locator("option").allTextContents(), ["seconds taken", "evaluations"]);
  const line = (label) => page.evaluate((l) => window.cardan.app.compared.work.line(l).map((e) => e.dt), label);
  assert.deepEqual(await line("aba/rk4"), [0.02, 0.01]);
  await cost.selectOption("evaluations");
  const span = await page.evaluate(() => { const { min, max } = window.cardan.app.compared.work.plot.scales.x; return [min, max]; });
  const counts = entries.map((e) => e.evaluations);
  assert.ok(span[0] <= Math.min(...counts) && span[1] >= Math.max(...counts) && span[0] > 1, `${span}`);
  assert.equal(await page.locator("figure", { hasText: "Size of energy" }).locator(".legend li").count(), 2);
  await page.getByRole("tab", { name: "Plots" }).click();
  assert.ok(await page.locator("figure", { hasText: "Coordinates" }).isVisible());
  assert.deepEqual(complaints, []);
  await close();
});
