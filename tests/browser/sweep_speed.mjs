// SPDX-License-Identifier: Apache-2.0
// What a frame of the page of a sweep costs. usage: CARDAN=.. node sweep_speed.mjs [CASES]
// Of each action: frames, milliseconds of processor time that the browser's main thread takes for one (so that
// other work of the machine does not count), and of script alone.
import { fileAddress, launch, open, run, write } from "./support.mjs";

const cases = Number(process.argv[2] ?? 100000);
write("swing.mbs", '(system "swing" (gravity 0 0 -9.81) (parameter M 1) (parameter L 1) (ry "a" (tz (- L) (mass M))) (initial ("a" 0.5)))\n');
write("plan.txt", `(plan (random M (uniform -0.02 1)) (random L (normal 1 0.1)) (init "q.a" (uniform -3 3)) (init "v.a" (normal 0 1)) (count ${cases})
  (collect (end "q.a") (end "v.a") (max energy) drift iterations))\n`);
const made = run("sweep", "swing.mbs", "--plan", "plan.txt", "--out", "r.h5", "--time", "0.05", "--report", "r.html", "--quiet");
if (![0, 3].includes(made.status)) {
  throw new Error(made.err);
}
const browser = await launch();
const { page } = await open(browser, fileAddress("r.html"), { height: 900 });
const session = await page.context().newCDPSession(page);
await session.send("Performance.enable", { timeDomain: "threadTicks" });

async function seconds() {
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map((m) => [m.name, m.value]));
}

async function measure(what, act) {
  await page.evaluate(() => {
    window.frames = 0;
    window.counting = true;
    const count = () => { window.frames++; window.counting && requestAnimationFrame(count); };
    requestAnimationFrame(count);
  });
  const begin = await seconds();
  await act();
  const end = await seconds();
  const frames = await page.evaluate(() => { window.counting = false; return window.frames; });
  const each = (name) => ((1000 * (end[name] - begin[name])) / frames).toFixed(1);
  console.log(`${what}: ${frames} frames, ${each("TaskDuration")} ms each, ${each("ScriptDuration")} ms of script`);
}

/** Moves the pointer in steps of a frame. */
async function glide(x, y, dx, dy, down) {
  await page.mouse.move(x, y);
  if (down) {
    await page.mouse.down();
  }
  for (let i = 1; i <= 60; i++) {
    await page.mouse.move(x + i * dx, y + i * dy);
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
}

/** Until all is drawn. */
async function rest() {
  await page.waitForFunction(() => {
    const { parallel, cases } = window.cardan.app;
    return parallel.next >= cases.n;
  }, null, { timeout: 60000 });
}

console.log(`${cases} cases, 10 columns`);
await rest();
const axis = await page.locator(".axis .bar").nth(2).boundingBox();
await measure("an axis is brushed", () => glide(axis.x + 13, axis.y + 40, 0, 3, true));
await page.keyboard.press("Escape");
const points = page.locator(".scatter-box canvas").first();
await points.scrollIntoViewIfNeeded();
await rest();
const box = await points.boundingBox();
await measure("the pointer moves over the points", () => glide(box.x + 90, box.y + 60, 5, 4, false));
await measure("a box is drawn over the points", () => glide(box.x + 90, box.y + 60, 5, 4, true));
await browser.close();
