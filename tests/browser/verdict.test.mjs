// SPDX-License-Identifier: Apache-2.0
// What a page says of its run: the verdict, the balance of energies, units, facts, what it left out.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileAddress, launch, open, run, view, write } from "./support.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const figure = (page, title) => page.locator("figure", { has: page.locator("h3", { hasText: title }) });
const facts = async (page) => {
  await page.getByRole("tab", { name: "Facts" }).click();
  const names = await page.locator("#panel-facts dt").allTextContents();
  const values = await page.locator("#panel-facts dd").allTextContents();
  return Object.fromEntries(names.map((n, i) => [n, values[i]]));
};

test("a driven run: the balance, a verdict that leads to the worst time, units, options in words", async () => {
  const { status, err, out } = run("run", "slider-crank", "--time", "1", "--method", "aba", "--add", "reactions,multipliers", "--report", "driven.html", "--json");
  assert.equal(status, 0, err);
  const { page, complaints, close } = await open(browser, fileAddress("driven.html"));
  // the energy swings by much of itself; what is plotted is what the fact says
  assert.equal(await figure(page, "Energy − start − work").count(), 1);
  const [worst, drift] = await page.evaluate(() => {
    const r = window.cardan.app.runs[0];
    return [Math.max(...r.byName.get("balance").delta.map(Math.abs)), r.stats.driftMax];
  });
  assert.ok(Math.abs(worst - drift) <= 1e-6 * drift, `${worst} ${drift}`);
  assert.ok(Math.abs(drift - JSON.parse(out).energy.max_drift) <= 1e-12 * drift);
  const unit = (name) => page.evaluate((n) => window.cardan.app.runs[0].byName.get(n).unit, name);
  for (const [name, wanted] of [["q.crank", "rad"], ["q.x", "m"], ["v.x", "m/s"], ["f.crank", "N m"], ["R.crank.fx", "N"], ["R.crank.tx", "N m"], ["work", "J"]]) {
    assert.equal(await unit(name), wanted, name);
  }
  const verdict = page.getByLabel("Verdict");
  assert.match(await verdict.getAttribute("class"), /green/);
  for (const part of ["aba/rk4", "dt 0.001 s", "1,000 steps", "of its scale", "loops closed to", "evaluations a step"]) {
    assert.ok((await verdict.textContent()).includes(part), part);
  }
  await verdict.getByRole("button", { name: /energy off/ }).click();
  const [time, there] = await page.evaluate(() => { const { app } = window.cardan; return [app.player.time, Math.abs(app.value("balance", app.player.time))]; });
  assert.ok(time > 0 && Math.abs(there - worst) <= 1e-6 * worst, `${there} at ${time}`);
  const said = await facts(page);
  assert.ok("Largest drift, work counted" in said);
  await page.getByText("All options").click();
  const options = Object.fromEntries(await page.locator("table.options tr").evaluateAll((rows) => rows.map((r) => [...r.children].map((c) => c.textContent))));
  assert.equal(options.kv, "2 sqrt(kq)");
  assert.equal(options["no-assemble"], "no");
  for (const [name, value] of [...Object.entries(options), ...Object.entries(said)]) {
    assert.ok(value !== "" && value !== "–" && value !== "-1", `${name} is "${value}"`);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("a rough run is amber, and the click goes to where it is worst", async () => {
  run("run", "pendulum:5", "--time", "4", "--method", "aba", "--integrator", "euler", "--report", "rough.html", "--quiet");
  const { page, close } = await open(browser, fileAddress("rough.html"));
  assert.match(await page.getByLabel("Verdict").getAttribute("class"), /amber/);
  await page.getByRole("button", { name: /in doubt|look closer/ }).click();
  assert.ok(await page.evaluate(() => window.cardan.app.player.time) > 0);
  await close();
});

test("a motion that blew up: rows up to there, and the place is marked", async () => {
  write("stiff.mbs", '(system (tx "x" (mass 1 .1 .1 .1)) (joint-spring "x" 3.2e5 0) (initial ("x" 0.1)))');
  const { status, err } = run("run", "stiff.mbs", "--time", "1", "--dt", "0.004", "--method", "rattle", "--report", "blown.html", "--quiet");
  assert.equal(status, 3, err);
  const { page, complaints, close } = await open(browser, fileAddress("blown.html"));
  const verdict = page.getByLabel("Verdict");
  assert.match(await verdict.getAttribute("class"), /amber/);
  assert.match(await verdict.textContent(), /^blew up/);
  assert.match(await page.getByLabel("Notices").textContent(), /the motion blew up: at t = .* try a smaller dt/);
  const [from, end, mark, finite] = await page.evaluate(() => {
    const { app } = window.cardan;
    const run = app.runs[0];
    return [run.stats.doubtFrom, run.times[run.times.length - 1], document.querySelector(".marks .doubt")?.style.left,
      run.list.every((c) => c.delta.every(Number.isFinite))];
  });
  assert.ok(from >= 0 && from <= end && finite);
  assert.equal(mark, `${100 * from / end}%`);
  await verdict.getByRole("button", { name: "blew up" }).click();
  assert.ok(Math.abs(await page.evaluate(() => window.cardan.app.player.time) - from) <= 1e-9);
  assert.deepEqual(complaints, []);
  await close();
});

test("a phase that is lost is amber though the energy is kept; band and trend are facts", async () => {
  write("oscillator.mbs", '(system (gravity 0 0 0) (tx "x" (mass 1)) (joint-spring "x" 1 0) (initial ("x" 1)))\n');
  for (const [dt, grade] of [["1", /amber/], ["0.01", /green/]]) {
    const { status, err, out } = run("run", "oscillator.mbs", "--method", "svi", "--time", "40", "--dt", dt, "--report", "phase.html", "--json");
    assert.equal(status, 0, err);
    const { estimated_error: e, energy } = JSON.parse(out);
    const { page, complaints, close } = await open(browser, fileAddress("phase.html"));
    const verdict = page.getByLabel("Verdict");
    assert.match(await verdict.getAttribute("class"), grade);
    assert.match(await verdict.textContent(), /x off by about .* m/);
    await verdict.getByRole("button", { name: /x off by/ }).click();
    assert.equal(await page.evaluate(() => window.cardan.app.player.time), 40);
    const stats = await page.evaluate(() => window.cardan.app.runs[0].stats);
    assert.equal(stats.estimated_error.value, e.value);
    assert.equal(stats.energyBand, energy.band);
    assert.ok(Math.abs(stats.energyTrend - energy.trend) <= 1e-12 * Math.abs(energy.trend));
    const said = await facts(page);
    assert.match(said["Drift as band and trend"], / J, peak to peak, around .* J an hour/);
    assert.match(said["Estimated error"], /of x, whose range is/);
    assert.deepEqual(complaints, []);
    await close();
  }
});

test("a comparison's verdict: what is nearest, and from when on a run is another motion", async () => {
  const { status, err, out } = run("compare", "double-pendulum", "--methods", "vi,aba/rk4", "--time", "30", "--dt", "0.02", "--report", "parted.html", "--json");
  assert.equal(status, 0, err);
  const first = Math.min(...JSON.parse(out).entries.map((e) => e.parted ?? Infinity));
  assert.ok(first > 1 && first < 30, `${first}`);
  const { page, complaints, close } = await open(browser, fileAddress("parted.html"));
  const verdict = page.getByLabel("Verdict");
  assert.match(await verdict.getAttribute("class"), /amber/);
  assert.match(await verdict.textContent(), /^parted.*2 runs against.*another motion from t = /);
  await verdict.getByRole("button", { name: "parted", exact: true }).click();
  assert.ok(Math.abs(await page.evaluate(() => window.cardan.app.player.time) - first) < 1e-9);
  assert.deepEqual(complaints, []);
  await close();
  assert.equal(run("compare", "pendulum", "--methods", "vi,aba/rk4", "--time", "2", "--dt", "0.01", "--report", "agree.html").status, 0);
  const other = await open(browser, fileAddress("agree.html"));
  assert.match(await other.page.getByLabel("Verdict").textContent(), /^agree.*nearest: aba\/rk4 at dt 0.01 s/);
  assert.match(await other.page.getByLabel("Verdict").getAttribute("class"), /green/);
  await other.close();
});

test("what rests is sound: its last digits are no drift", async () => {
  assert.equal(run("run", "stack:5", "--time", "0.5", "--report", "rests.html", "--quiet").status, 0);
  const { page, close } = await open(browser, fileAddress("rests.html"));
  assert.match(await page.getByLabel("Verdict").textContent(), /^sound/);
  await close();
});

test("more columns than fit: which are left out", async () => {
  const { status, err } = run("run", "chain:1300", "--time", "0.02", "--report", "many.html", "--quiet");
  assert.equal(status, 0, err);
  const { page, close } = await open(browser, fileAddress("many.html"));
  assert.match(await page.getByLabel("Notices").textContent(), /1,300 velocities are not in this page/);
  assert.match((await facts(page))["Left out"], /1,300 velocities/);
  await close();
});

test("a result has the summary of its run, and its balance", async (t) => {
  assert.equal(run("run", "slider-crank", "--time", "0.5", "--out", "driven.h5", "--quiet").status, 0);
  const server = view(["driven.h5", "--no-open"]);
  t.after(() => server.stop());
  const { page, close } = await open(browser, await server.address, { offline: false });
  assert.equal(await figure(page, "Energy − start − work").count(), 1);
  assert.match(await page.getByLabel("Verdict").textContent(), /500 steps.*energy off by .* of its scale/);
  const said = await facts(page);
  assert.equal(said.Steps, "500");
  assert.match(said.Energy, / J at the start, .* J at the end/);
  assert.ok("Largest drift, work counted" in said && "Evaluations" in said);
  await close();
});

test("a floor where gravity or a plane defines it, and an arrow for gravity", async () => {
  const cases = [
    ["kepler", { floor: false, arrow: [] }],
    ["oblique.mbs", { floor: false, arrow: [44, 64] }],
    ["bouncing-ball", { floor: true, arrow: [44, 64] }],
  ];
  write("oblique.mbs", '(system (gravity 3 0 -9) (ry "a" (tz -1 (mass 1))))\n');
  for (const [model, wanted] of cases) {
    assert.equal(run("run", model, "--time", "0.1", "--report", "floor.html", "--quiet").status, 0);
    const { page, close } = await open(browser, fileAddress("floor.html"));
    const seen = await page.evaluate(() => {
      const { scene, ground, camera, canvas, rig } = window.cardan.app.view;
      const arrow = scene.getObjectByName("gravity");
      const where = () => arrow?.position.clone().project(camera);
      window.cardan.app.view.render(0);
      rig.zoom(3); // however near, it is where it was, and as long
      window.cardan.app.view.render(0);
      const pixel = rig.pixelAt(camera.position.distanceTo(rig.controls.target));
      return { floor: ground.group.visible, arrow: arrow ? [((where().x + 1) / 2) * canvas.clientWidth, arrow.scale.x / pixel] : [] };
    });
    assert.deepEqual({ ...seen, arrow: seen.arrow.map(Math.round) }, wanted, model);
    await close();
  }
});

test("numbers on the floor: what they say is where they are, as large from afar", async () => {
  const look = (page) => page.evaluate(() => {
    const { scene, ground, camera, rig } = window.cardan.app.view;
    window.cardan.app.view.render(0);
    const depth = (s) => -s.position.clone().applyMatrix4(camera.matrixWorldInverse).z;
    const shown = ground.group.visible ? scene.getObjectByName("numbers").children.filter((s) => s.visible) : [];
    return { cell: ground.cell, numbers: shown.map((s) => ({ text: s.name, place: s.position.toArray(), high: s.scale.y / rig.pixelAt(depth(s)) })) };
  });
  for (const [model, some] of [["pile", true], ["quadruped", true], ["kepler", false]]) {
    assert.equal(run("run", model, "--time", "0.1", "--report", "floor.html", "--quiet").status, 0);
    const { page, close } = await open(browser, fileAddress("floor.html"), { width: 1100 });
    for (const zoom of [1, 0.3]) {
      await page.evaluate((by) => window.cardan.app.view.rig.zoom(by), zoom);
      const { cell, numbers } = await look(page);
      assert.ok(some ? numbers.length >= 3 && numbers.length <= 18 : numbers.length === 0, `${model}: ${JSON.stringify(numbers)}`);
      for (const { text, place, high } of numbers) {
        const value = Number(text.replace("−", "-").replace(/[^-.\d]/g, ""));
        assert.ok(place.some((x) => Math.abs(x - value) < 1e-9), `${text} at ${place}`);
        assert.ok(Math.abs(value / cell - Math.round(value / cell)) < 1e-6, `${text}: on no line of ${cell} m`);
        assert.ok(Math.abs(high - 16) < 1e-6, `${high} px`);
      }
      assert.equal(new Set(numbers.filter((n) => n.text.endsWith(" m")).map((n) => n.text[0])).size, some ? 2 : 0);
    }
    await close();
  }
});

test("axe finds nothing: names, order of headings, contrast", async () => {
  const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
  write("plan.txt", '(plan (grid M 1 2) (init "q.a" 0.5) (collect (end "q.a")))');
  write("swing.mbs", '(system (gravity 0 0 -9.81) (parameter M 1) (ry "a" (tz -1 (mass M))))');
  assert.equal(run("sweep", "swing.mbs", "--plan", "plan.txt", "--out", "swing.h5", "--time", "0.1", "--keep-motion", "all", "--report", "sweep.html", "--quiet").status, 0);
  assert.equal(run("compare", "pendulum:5", "--methods", "aba/semi-implicit,aba/rk4,rattle", "--time", "0.5", "--dt", "0.02,0.01", "--report", "compare.html").status, 0);
  const pages = [["driven.html", {}], ["driven.html", { dark: true, width: 390 }], ["compare.html", { dark: true }], ["sweep.html", {}]];
  for (const [name, options] of pages) {
    const { page, close } = await open(browser, fileAddress(name), options);
    await page.evaluate(axe);
    const tabs = page.getByRole("tab");
    const shown = options.dark ? 1 : await tabs.count(); // colours alone differ
    for (let k = 0; k < Math.max(1, shown); k++) {
      if ((await tabs.count()) > 0) {
        await tabs.nth(k).click();
      }
      const found = await page.evaluate(async () => (await window.axe.run()).violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" ")}`));
      assert.deepEqual(found, [], `${name}, tab ${k}, ${JSON.stringify(options)}`);
    }
    await close();
  }
});
