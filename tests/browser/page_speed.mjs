// SPDX-License-Identifier: Apache-2.0
// What pages cost. usage: CARDAN=.. node page_speed.mjs [ROUNDS]
// Of each page: its size, memory of script after it was opened, processor time of the browser's main thread (so that other
// work of the machine does not count) and of script alone, in a second while nothing happens and in a frame while it
// plays: the least of some rounds. Only what every page ever had is used, to compare versions.
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileAddress, folder, launch, run } from "./support.mjs";

const rounds = Number(process.argv[2] ?? 3);
const SECONDS = 3;
const cases = [
  ["chain:1000", ["run", "chain:1000", "--time", "1", "--dt", "0.001"]],
  ["a million steps of pendulum:5", ["run", "pendulum:5", "--dt", "0.001", "--time", "1000"]],
];

/** What the page takes in some seconds [ms], and how many frames it has; ticks: they are counted, which takes frames itself. */
async function watch(page, session, ticks) {
  const now = async () => Object.fromEntries((await session.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
  await page.evaluate((on) => {
    window.ticks = 0;
    const tick = () => { window.ticks++; requestAnimationFrame(tick); };
    on && requestAnimationFrame(tick);
  }, ticks);
  const [before, begin] = [await now(), performance.now()];
  await page.waitForTimeout(1000 * SECONDS);
  const [after, end] = [await now(), performance.now()];
  const over = ticks ? await page.evaluate(() => window.ticks) : (end - begin) / 1000;
  const each = (name) => (1000 * (after[name] - before[name])) / over;
  return { task: each("TaskDuration"), script: each("ScriptDuration"), memory: after.JSHeapUsedSize };
}

async function open(browser, name) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.goto(fileAddress(name));
  await page.locator(".play").waitFor();
  await page.waitForTimeout(2000);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, session, close: () => context.close() };
}

const least = (list, key) => Math.min(...list.map((m) => m[key]));

const browser = await launch();
for (const [what, args] of cases) {
  const made = run(...args, "--report", "page.html", "--quiet");
  if (made.status !== 0) {
    throw new Error(made.err);
  }
  const seen = { still: [], playing: [] };
  for (let k = 0; k < rounds; k++) {
    const { page, session, close } = await open(browser, "page.html");
    seen.still.push(await watch(page, session, false));
    await page.locator(".play").click();
    seen.playing.push(await watch(page, session, true));
    await close();
  }
  const ms = (list, digits) => `${least(list, "task").toFixed(digits)} ms, ${least(list, "script").toFixed(digits)} of them script`;
  console.log(`${what}: ${(statSync(join(folder, "page.html")).size / 1e6).toFixed(2)} MB, ${(least(seen.still, "memory") / 1e6).toFixed(1)} MB of memory`);
  console.log(`  a frame while it plays: ${ms(seen.playing, 2)}\n  a second while it stands: ${ms(seen.still, 1)}`);
}
await browser.close();
