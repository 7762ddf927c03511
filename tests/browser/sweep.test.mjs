// SPDX-License-Identifier: Apache-2.0
// The page of a sweep: counts, selection, cases, motions, names that would like to be markup.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawn, fileAddress, launch, open, run, view, write } from "./support.mjs";

const evil = "</script><script>alert(1)</script>";
const model = `(system "<img src=x onerror=alert(2)>" (gravity 0 0 -9.81) (parameter M 1)
  (ry "a" (tz -1 (name "bob") (mass M) (shape sphere 0.1))) (initial ("a" 0.5)))
`;
// M below 0 is no mass: about a third of the cases fail
const plan = `(plan (random M (uniform -0.5 1)) (init "v.a" (uniform -2 2)) (count 300)
  (collect (end "q.a") (max energy (as "${evil}")) drift))
`;

let browser;
let page, complaints, close;
before(async () => {
  write("swing.mbs", model);
  write("plan.txt", plan);
  write("grid.txt", '(plan (range "q.a" -3 3 (count 40)) (range "v.a" -1 1 (count 30)) (collect (end "q.a")))\n');
  const { status, err } = run("sweep", "swing.mbs", "--plan", "plan.txt", "--out", "r.h5", "--time", "0.3", "--keep-motion", "worst:150", "--report", "r.html", "--quiet");
  assert.equal(status, 3, err);
  assert.equal(run("sweep", "swing.mbs", "--plan", "grid.txt", "--out", "g.h5", "--time", "0.1", "--report", "g.html", "--quiet").status, 0);
  browser = await launch();
  ({ page, complaints, close } = await open(browser, fileAddress("r.html")));
});
after(() => browser?.close());

/** Numbers of a column of the page. */
const column = (name) => page.evaluate((n) => [...window.cardan.app.cases.columns.find((c) => c.name === n).value], name);
const selected = () => page.evaluate(() => window.cardan.app.selection.count);

test("says first how many failed, and why", async () => {
  const failed = (await column("M")).filter((m) => m < 0).length;
  assert.ok(failed > 50 && failed < 150);
  const alert = page.getByRole("alert");
  assert.match(await alert.textContent(), new RegExp(`${failed} of 300 cases failed.*${failed} model.*first case \\d+: .*mass`));
  const status = await column("status");
  assert.equal(status.filter((s) => s !== 0).length, failed);
  await page.waitForFunction(() => document.querySelector(".cases")?.getAttribute("aria-rowcount") === "300");
  const missing = await page.locator(".axis.collected .none").first().textContent();
  assert.equal(missing, `${failed} no value`);
});

test("shows names as text", async () => {
  assert.equal(await page.locator("#app script, #app img").count(), 0);
  assert.equal(await page.locator("h1").getAttribute("title"), "<img src=x onerror=alert(2)>");
  assert.equal(await page.locator(".axis .name", { hasText: "alert(1)" }).count(), 1);
});

test("selects by an axis, with the pointer and with keys", async () => {
  const values = await column("end.q.a");
  const bar = page.locator(".axis .bar").nth(2);
  const box = await bar.locator(".track-y").boundingBox();
  await page.mouse.move(box.x + 13, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 13, box.y + 160, { steps: 4 });
  await page.mouse.up();
  const [lo, hi] = await page.evaluate(() => [...window.cardan.app.selection.ranges.values()][0]);
  const finite = values.filter(Number.isFinite);
  const [min, max] = [Math.min(...finite), Math.max(...finite)];
  assert.ok(Math.abs((max - hi) / (max - min) - 60 / 270) < 0.01 && Math.abs((max - lo) / (max - min) - 160 / 270) < 0.01);
  const count = values.filter((v) => v >= lo && v <= hi).length;
  assert.ok(count > 0 && count < 200);
  assert.equal(await selected(), count);
  await page.getByText(`${count} of 300 selected`).waitFor();
  await page.waitForFunction((n) => document.querySelector(".cases").getAttribute("aria-rowcount") === String(n), count);
  assert.match(await page.locator(".stats").first().textContent(), new RegExp(`selected${count}`));
  await bar.focus();
  await page.keyboard.press("ArrowDown");
  assert.notEqual((await page.evaluate(() => [...window.cardan.app.selection.ranges.values()][0]))[0], lo);
  await page.keyboard.press("Escape");
  assert.equal(await selected(), 300);
  await page.getByLabel("Endings").selectOption("failed");
  assert.equal(await selected(), (await column("status")).filter((s) => s !== 0).length);
  await page.getByRole("button", { name: "Clear selection" }).click();
  assert.equal(await selected(), 300);
});

test("opens a case, with its sentence, its command and its motion", async () => {
  const status = await column("status");
  const bad = status.findIndex((s) => s !== 0);
  await page.getByLabel("Open a case by its number").fill(String(bad));
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  assert.match(await dialog.textContent(), new RegExp(`Case ${bad}.*It failed \\(model\\).*mass.*cardan run r.h5#${bad} --report`, "s"));
  await page.keyboard.press("Escape");
  const kept = await page.evaluate(() => [...window.cardan.app.cases.motions.keys()]);
  assert.ok(kept.length > 0);
  await page.evaluate((n) => window.cardan.app.open(n), kept[0]);
  assert.match(await dialog.textContent(), /start\.v\.a.*rad\/s.*end\.q\.a.*rad/s);
  await dialog.getByRole("button", { name: "Show its motion" }).click();
  assert.ok((await drawn(page)).count > 1000);
  await page.getByRole("button", { name: "Back to the sweep" }).click();
  assert.ok(await page.locator(".parallel").isVisible());
});

test("opens a case by a click on its point, and sorts", async () => {
  const place = await page.evaluate(() => {
    const { scatter, cases } = window.cardan.app;
    const row = cases.failed.findIndex((f) => f === 0);
    const box = document.querySelector(".scatter-box canvas").getBoundingClientRect();
    scatter.root.scrollIntoView();
    return { row, x: scatter.toX(scatter.shown.x)(cases.columns[scatter.x].place[row]), y: scatter.toY(scatter.shown.y)(cases.columns[scatter.y].place[row]), box };
  });
  await page.locator(".scatter-box canvas").first().click({ position: { x: place.x, y: place.y } });
  await page.getByRole("dialog", { name: `Case ${place.row}` }).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("columnheader", { name: "end.q.a" }).getByRole("button").click();
  const values = await column("end.q.a");
  const first = values.indexOf(Math.min(...values.filter(Number.isFinite)));
  await page.waitForFunction((n) => document.querySelector(".case-body [data-case]")?.dataset.case === String(n), first);
  assert.deepEqual(complaints, []);
  await close();
});

test("shows a grid as a picture, dark, on a narrow screen", async () => {
  const grid = await open(browser, fileAddress("g.html"), { width: 390, height: 844, dark: true });
  assert.match(await grid.page.locator(".scatter figcaption").textContent(), /40 × 30 cells/);
  const colors = await grid.page.evaluate(() => {
    const canvas = document.querySelector(".scatter-box canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colors > 100, `${colors} colours`);
  assert.ok((await grid.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  assert.match(await grid.page.locator(".sensitivity").textContent(), /Main effect.*no interval/s);
  const nameless = await grid.page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")]
    .filter((e) => !e.getAttribute("aria-label") && !e.textContent.trim()).map((e) => e.outerHTML));
  assert.deepEqual(nameless, []);
  assert.deepEqual(grid.complaints, []);
  await grid.close();
});

test("is what cardan view shows of a result", async (t) => {
  const server = view(["g.h5", "--no-open"]);
  t.after(server.stop);
  const live = await open(browser, await server.address, { offline: false });
  assert.equal(await live.page.evaluate(() => window.cardan.app.cases.n), 1200);
  await live.page.getByLabel("Follows the file").waitFor();
  await live.close();
});
