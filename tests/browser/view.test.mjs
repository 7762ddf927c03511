// SPDX-License-Identifier: Apache-2.0
// `cardan view`: a page that follows a file.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawn, folder, HANG_MS, launch, open, run, until, view, write } from "./support.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const model = (angle) => `(system "swing"
  (gravity 0 0 -9.81)
  (ry "theta" (tz -1 (name "bob") (mass 1)))
  (initial ("theta" ${angle}))
  (simulate (time 1)))
`;

test("shows a model, follows it, and shows a fault at its line", async (t) => {
  write("swing.mbs", model(0.5));
  const server = view(["swing.mbs", "--no-open"]);
  t.after(server.stop);
  const address = await server.address;
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
  const { page, close } = await open(browser, address, { offline: false });
  const start = () => page.evaluate(() => window.cardan.app.value("q.theta", 0));
  assert.equal(await start(), 0.5);
  assert.ok((await drawn(page)).count > 1000);
  write("swing.mbs", model(0.25));
  await page.waitForFunction(() => window.cardan.app.value("q.theta", 0) === 0.25);
  write("swing.mbs", model(0.25).replace("(tz", "(tzz"));
  const fault = page.getByRole("alert");
  await fault.waitFor();
  assert.match(await fault.textContent(), /tzz.*line 3/);
  assert.match(await page.locator(".source .fault code").first().textContent(), /tzz/);
  write("swing.mbs", model(0.75));
  await page.waitForFunction(() => window.cardan.app.value("q.theta", 0) === 0.75);
  await close();
});

test("answers those who have the token, by its own name", async (t) => {
  const server = view(["pendulum", "--no-open"]);
  t.after(server.stop);
  const address = await server.address;
  assert.equal((await fetch(address)).status, 200);
  assert.equal((await fetch(new URL("/", address))).status, 404);
  assert.equal((await fetch(address.replace(/[0-9a-f]{32}/, "0".repeat(32)))).status, 404);
  assert.equal((await fetch(address, { method: "POST" })).status, 405);
});

test("shows a result, and refuses one that was cut short", async (t) => {
  assert.equal(run("run", "top", "--time", "1", "--out", "top.h5", "--quiet").status, 0);
  const server = view(["top.h5", "--no-open"]);
  t.after(server.stop);
  const { page, complaints, close } = await open(browser, await server.address, { offline: false });
  assert.ok(Math.abs((await page.evaluate(() => window.cardan.app.player.end)) - 1) < 1e-9);
  assert.ok((await drawn(page)).count > 1000);
  assert.deepEqual(complaints.filter((c) => !c.startsWith("request:")), []);
  await close();
  truncateSync(join(folder, "top.h5"), readFileSync(join(folder, "top.h5")).length >> 1);
  const { status, err } = run("view", "top.h5", "--no-open");
  assert.equal(status, 2);
  assert.match(err, /^cardan: cannot read top\.h5: .*cut short.*\n$/);
});

test("says when the port is in use", async (t) => {
  const server = view(["pendulum", "--no-open"]);
  t.after(server.stop);
  const { port } = new URL(await server.address);
  const { status, err } = run("view", "pendulum", "--no-open", "--port", port);
  assert.equal(status, 1);
  assert.match(err, new RegExp(`^cardan: port ${port} is in use: .*\\n$`));
});

test("reports that there is no browser, and continues", async (t) => {
  const server = view(["pendulum"], { BROWSER: "no-such-browser" });
  t.after(server.stop);
  const address = await server.address;
  assert.equal((await fetch(address)).status, 200);
  await until("a sentence about the browser", () => server.said.err.includes("browser"));
  assert.match(server.said.err, /no browser was started \(no-such-browser: .*\): open the address yourself/);
});

test("the token is in no command line, and silent connections block no other", async (t) => {
  write("starter.sh", `#!/bin/sh\necho "$1" > started\ncp "$1" way.html\nstat -c %a "$1" >> started\n`);
  chmodSync(join(folder, "starter.sh"), 0o755);
  const server = view(["pendulum"], { BROWSER: join(folder, "starter.sh") });
  t.after(server.stop);
  const address = await server.address;
  await until("the browser was started", () => existsSync(join(folder, "started")) && readFileSync(join(folder, "started"), "utf8").includes("600"));
  const started = readFileSync(join(folder, "started"), "utf8");
  assert.match(started, /^\/.*cardan-view-.*\.html\n600\n$/);
  assert.ok(readFileSync(join(folder, "way.html"), "utf8").includes(`url=${address}`));
  const { port } = new URL(address);
  const silent = [];
  t.after(() => silent.forEach((s) => s.destroy()));
  for (let i = 0; i < 150; i++) {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {}).resume();
    silent.push(socket);
    await new Promise((done) => socket.once("connect", done));
  }
  // at most 32 may stay (IDLE of cli/view_server.c): the server has ended the others
  await until("silent connections were ended", () => silent.filter((s) => s.destroyed).length >= 150 - 32);
  assert.equal((await fetch(address, { signal: AbortSignal.timeout(HANG_MS) })).status, 200);
});

test("as a workbench: what was chosen survives a save and a fault, sliders run the model again", async (t) => {
  const text = (angle, rest = "") => `; a swing with numbers
(system "bench"
  (gravity 0 0 -9.81)
  (define L 1)
  (parameter lean (deg 30))
  (define twice (* 2 L))
  (ry "theta" (tz (neg L) (name "bob") (mass 1)))${rest}
  (initial ("theta" (+ lean ${angle})))
  (simulate (time 1)))
`;
  write("bench.mbs", text(0));
  const server = view(["bench.mbs", "--no-open"]);
  t.after(server.stop);
  const address = await server.address;
  const { page, complaints, close } = await open(browser, address, { offline: false, width: 1000, height: 640 });
  const start = () => page.evaluate(() => window.cardan.app.value("q.theta", 0));
  const state = () => page.evaluate(() => {
    const { kept } = window.cardan.app;
    return [kept.time, kept.selected, kept.tab, kept.traces, kept.plots.map((p) => [p.names, p.look.rate]), kept.range, kept.toggles.Labels, kept.speed, kept.pose.flatMap((v) => v.toArray().map((x) => x.toFixed(9)))];
  });
  await page.getByRole("tab", { name: "Model" }).click();

  await t.test("the text is coloured, and its lines select", async () => {
    assert.equal(await page.locator(".source .comment").first().textContent(), "; a swing with numbers");
    assert.ok((await page.locator(".source .word").allTextContents()).includes("gravity"));
    await page.locator(".source .linked code").first().click();
    assert.equal(await page.evaluate(() => window.cardan.app.selection.name), "theta");
  });

  await page.evaluate(() => {
    const { app } = window.cardan;
    app.player.seek(0.5);
    app.player.setSpeed(0.25);
    app.view.camera.position.x += 0.3;
    app.addPlot(["q.theta"], { rate: true });
    app.setTraces([app.page.model.frames.findIndex((f) => f.name === "bob")]);
    app.link.zoom(null, 0.25, 0.75);
  });
  await page.getByRole("button", { name: "Labels" }).click();
  const before = await state();
  assert.deepEqual(before.slice(0, 8), [0.5, "theta", "Model", ["bob"], [[["q.theta"], true]], [0.25, 0.75], true, 0.25]);

  await t.test("a fault leaves the last picture, dimmed, and all comes back", async () => {
    write("bench.mbs", text(0, " (bad)"));
    await page.getByRole("alert").waitFor();
    assert.ok(Number(await page.locator(".canvas canvas").evaluate((c) => getComputedStyle(c).opacity)) < 0.5);
    assert.ok((await drawn(page)).count > 300);
    write("bench.mbs", text(0.125));
    await page.waitForFunction((a) => Math.abs(window.cardan.app.value("q.theta", 0) - a) < 1e-12 && !window.cardan.app.page.fault, Math.PI / 6 + 0.125);
    assert.deepEqual(await state(), before);
  });

  await t.test("sliders of numbers, defined and parameters; what is computed has none", async () => {
    await page.locator(".values summary").click();
    assert.deepEqual(await page.locator(".sliders span").allTextContents(), ["L", "lean"]);
    await page.getByLabel("lean", { exact: true }).fill("0.25");
    await page.waitForFunction(() => Math.abs(window.cardan.app.value("q.theta", 0) - 0.375) < 1e-12);
    await page.getByLabel("L, as a number").fill("0.5");
    await page.getByLabel("L, as a number").press("Enter");
    const length = () => page.evaluate(() => Math.hypot(...window.cardan.app.page.model.frames.find((f) => f.name === "bob").X.slice(0, 3)));
    await page.waitForFunction(() => window.cardan.app.page.settings.length === 2);
    assert.equal(await length(), 0.5);
    assert.equal(await page.locator(".values .set").textContent(), "--set lean=0.25 --set L=0.5");
    assert.deepEqual(await state(), before);
    await page.getByRole("button", { name: "Reset" }).click();
    await page.waitForFunction((a) => Math.abs(window.cardan.app.value("q.theta", 0) - a) < 1e-12, Math.PI / 6 + 0.125);
    assert.equal(await length(), 1);
  });

  await t.test("wrong wishes are refused, and one that makes a fault reports it", async () => {
    for (const wrong of ["set", "set?name=L", "set?name=L&value=", "set?name=L&value=1x", "set?name=L&value=inf", `set?name=${"x".repeat(200)}&value=1`]) {
      assert.equal((await fetch(new URL(wrong, address))).status, 400, wrong);
    }
    assert.equal((await fetch(new URL("set?name=missing&value=1", address))).status, 204);
    await page.getByRole("alert").waitFor();
    assert.match(await page.getByRole("alert").textContent(), /missing/);
    write("bench.mbs", text(0.5)); // a save drops a wish that cannot be
    await page.waitForFunction((a) => Math.abs(window.cardan.app.value("q.theta", 0) - a) < 1e-12 && !window.cardan.app.page.fault, Math.PI / 6 + 0.5);
  });
  assert.deepEqual(complaints.filter((c) => !c.startsWith("request:")), []);
  await close();
});
