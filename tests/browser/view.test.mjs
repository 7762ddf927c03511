// SPDX-License-Identifier: Apache-2.0
// `cardan view`: a page that follows a file.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawn, folder, launch, open, run, view, write } from "./support.mjs";

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

test("says when there is no browser, and goes on", async (t) => {
  const server = view(["pendulum"], { BROWSER: "no-such-browser" });
  t.after(server.stop);
  const address = await server.address;
  assert.equal((await fetch(address)).status, 200);
  for (let i = 0; i < 100 && !server.said.err.includes("browser"); i++) {
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.match(server.said.err, /no browser was started \(no-such-browser: .*\): open the address yourself/);
});

test("the token is in no command line, and those who say nothing keep nobody out", async (t) => {
  write("starter.sh", `#!/bin/sh\necho "$1" > started\ncp "$1" way.html\nstat -c %a "$1" >> started\n`);
  chmodSync(join(folder, "starter.sh"), 0o755);
  const server = view(["pendulum"], { BROWSER: join(folder, "starter.sh") });
  t.after(server.stop);
  const address = await server.address;
  for (let i = 0; i < 100 && !(existsSync(join(folder, "started")) && readFileSync(join(folder, "started"), "utf8").includes("600")); i++) {
    await new Promise((done) => setTimeout(done, 50));
  }
  const started = readFileSync(join(folder, "started"), "utf8");
  assert.match(started, /^\/.*cardan-view-.*\.html\n600\n$/);
  assert.ok(readFileSync(join(folder, "way.html"), "utf8").includes(`url=${address}`));
  const { port } = new URL(address);
  const silent = [];
  t.after(() => silent.forEach((s) => s.destroy()));
  for (let i = 0; i < 150; i++) {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    silent.push(socket);
    await new Promise((done) => socket.once("connect", done));
  }
  assert.equal((await fetch(address, { signal: AbortSignal.timeout(5000) })).status, 200);
});
