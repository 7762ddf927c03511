// SPDX-License-Identifier: Apache-2.0
// What a reader can do with a page: plots of one's own, selecting, comparing, taking away. Few loads of
// few pages, since each takes a second.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileAddress, folder, launch, open, run, table, until, write } from "./support.mjs";

let browser;
before(async () => {
  browser = await launch();
  const { status, err } = run("run", "closed-chain", "--time", "2", "--report", "bench.html", "--out", "bench.csv", "--quiet");
  assert.equal(status, 0, err);
});
after(() => browser?.close());

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a}, expected ${b}`);

test("a page that stands draws no frames, and does when something happens", async () => {
  const { page, close } = await open(browser, fileAddress("bench.html"), { width: 1100, height: 700 });
  const rests = () => page.waitForFunction(() => window.cardan.app.request === 0);
  // a late event of the browser (a pointer over what was laid out again) may wake it once; it then rests again
  await until("400 ms without a frame", async () => {
    await rests();
    return page.evaluate(async () => {
      const plain = window.requestAnimationFrame;
      let n = 0;
      window.requestAnimationFrame = (f) => { n++; return plain(f); };
      await new Promise((done) => setTimeout(done, 400));
      window.requestAnimationFrame = plain;
      return n === 0;
    });
  });
  await page.evaluate(() => window.cardan.app.player.seek(1.5));
  await page.waitForFunction(() => window.cardan.app.view.shown === 1.5);
  await rests();
  const before = await page.evaluate(() => { const { view } = window.cardan.app; view.rig.turn(0.1, 0); return view.changed; });
  await page.waitForFunction(() => !window.cardan.app.view.changed);
  assert.equal(before, true);
  await rests();
  await page.evaluate(() => window.cardan.app.player.play());
  await page.waitForFunction(() => window.cardan.app.view.shown > 1.5);
  await close();
});

test("plots: added, filled by search and by drag, with an axis for each unit", async (t) => {
  const { page, complaints, close } = await open(browser, fileAddress("bench.html"), { width: 1100, height: 700 });
  const rows = table("bench.csv");
  await page.getByRole("button", { name: "Add a plot" }).click();
  const plot = page.locator("figure").first();
  const pick = async (text) => {
    await plot.getByLabel("Find a column").fill(text);
    await plot.locator(".chips .chip").first().click();
  };
  const axes = () => plot.locator(".u-axis").count();
  const units = () => plot.locator("h3 .unit").textContent();
  await pick("q.K");
  assert.equal(await units(), "rad");

  await t.test("two units have two axes, a third has none and reports it", async () => {
    await pick("v.K");
    assert.equal(await units(), "rad | rad/s");
    assert.equal(await axes(), 3);
    assert.deepEqual(await plot.locator(".legend .name").allTextContents(), ["q.K", "v.K ▸"]);
    const third = page.locator("figure").first();
    await page.evaluate(() => {
      const plot = window.cardan.app.addPlot(["q.K", "v.K"]);
      plot.set([...plot.seen.map((s) => s.curve), { ...plot.seen[0].curve, label: "other", unit: "N" }]);
      plot.setLook({ rate: true });
    });
    assert.equal(await third.locator("h3 .unit").textContent(), "d/dt rad/s | rad/s²");
    assert.match(await third.locator("button:disabled").getAttribute("title"), /no axis left/);
    await third.getByRole("button", { name: /^Options/ }).click();
    await third.getByRole("button", { name: "Remove" }).click();
  });

  await t.test("a rate is the velocity, to the error of differences", async () => {
    const worst = await page.evaluate(() => {
      const { app } = window.cardan;
      const plot = app.addPlot(["q.K"], { rate: true });
      const { curve, samples } = plot.seen[0];
      const v = curve.run.byName.get("v.K");
      const error = Math.max(...Array.from(samples.values, (r, i) => Math.abs(r - v.first - v.delta[i])).slice(1, -1));
      app.removePlot(plot);
      return error;
    });
    // parabolas: h²/6 of the third derivative, which is below 100 rad/s³ here
    assert.ok(worst < (rows.t[1] - rows.t[0]) ** 2 / 6 * 100, `${worst}`);
  });

  await t.test("degrees, wrapped, logarithm, statistics", async () => {
    const chip = (name) => plot.locator(".plot-tools").getByRole("button", { name, exact: true });
    await chip("Degrees").click();
    assert.equal(await units(), "° | °/s");
    await chip("Degrees").click();
    await chip("Statistics").click();
    const cells = await plot.locator(".statistics tbody tr").first().locator("td").allTextContents();
    near(Number(cells[0].replace("−", "-")), Math.min(...rows["q.K"]), 1e-4, "least");
    near(Number(cells[2].replace("−", "-")), Math.max(...rows["q.K"]), 1e-4, "most");
    await chip("Log").click();
    assert.equal(await plot.evaluate(() => window.cardan.app.plots.at(-1).drawing.scales.y.distr), 3);
    await chip("Log").click();
    const turned = await page.evaluate(() => {
      const plot = window.cardan.app.addPlot(["q.K"], { wrap: true });
      const { curve } = plot.seen[0];
      plot.set([{ ...curve, column: { ...curve.column, first: curve.column.first + 20 } }]);
      const most = Math.max(...plot.seen[0].samples.values.map(Math.abs));
      window.cardan.app.removePlot(plot);
      return most;
    });
    assert.ok(turned <= Math.PI, `${turned}`);
  });

  await t.test("a column across makes a phase plane, whose clicks find the time", async () => {
    await plot.getByLabel("Across").selectOption("q.K");
    await plot.locator(".u-over").scrollIntoViewIfNeeded();
    // dots show the time under the pointer where there is one: the pointer must have left, and the layout must stand
    await page.mouse.move(0, 0);
    await page.evaluate(() => window.cardan.app.player.seek(1));
    let place;
    await until("the dot stands where it is at 1 s", async () => (place = await page.evaluate(async () => {
      const find = () => {
        const p = window.cardan.app.plots.at(-1);
        const dot = p.root.querySelectorAll(".dots i")[1]?.getBoundingClientRect();
        return dot && p.hovered === null && p.time === 1 ? [dot.x + dot.width / 2, dot.y + dot.height / 2] : null;
      };
      const before = find();
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const now = find();
      return before && now && before.every((v, k) => v === now[k]) ? now : null;
    })));
    await page.evaluate(() => window.cardan.app.player.seek(0));
    await page.mouse.click(...place);
    await page.waitForFunction(() => Math.abs(window.cardan.app.player.time - 1) <= 0.05);
    await plot.getByLabel("Across").selectOption("");
  });

  await t.test("a drag brings a column from one plot to another", async () => {
    const other = page.locator("figure", { hasText: "Energy − start" });
    await plot.getByLabel("Find a column").fill("q.M");
    const data = await page.evaluateHandle(() => new DataTransfer());
    await plot.locator(".chips .chip").first().dispatchEvent("dragstart", { dataTransfer: data });
    await other.dispatchEvent("dragover", { dataTransfer: data });
    await other.dispatchEvent("drop", { dataTransfer: data });
    assert.deepEqual(await other.locator(".legend button").allTextContents(), ["balance", "M ▸"]);
  });

  await t.test("a name hides its curve, twice leaves it alone", async () => {
    const names = plot.locator(".legend button.name");
    const pressed = () => names.evaluateAll((all) => all.map((b) => b.getAttribute("aria-pressed")));
    await names.first().click();
    assert.deepEqual(await pressed(), ["false", "true"]);
    await names.first().click();
    await names.nth(1).dblclick();
    assert.deepEqual(await pressed(), ["false", "true"]);
    await names.nth(1).dblclick();
    assert.deepEqual(await pressed(), ["true", "true"]);
  });

  await t.test("zooms both ways, moves, follows the playhead, and goes back without seeking", async () => {
    const over = page.locator("figure", { hasText: "Velocities" }).locator(".u-over");
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
    const drag = async (from, to) => {
      await page.mouse.move(...from);
      await page.mouse.down();
      await page.mouse.move(...to, { steps: 4 });
      await page.mouse.up();
    };
    const state = () => page.evaluate(() => {
      const p = window.cardan.app.plots.find((o) => o.options.title === "Velocities");
      const { x, y } = p.drawing.scales;
      return [x.min, x.max, y.min, y.max];
    });
    const whole = await state();
    await drag(at(0.25, 0.2), at(0.5, 0.7));
    const part = await state();
    near(part[0], 0.5, 0.03, "from");
    near(part[1], 1, 0.03, "to");
    near((part[3] - part[2]) / (whole[3] - whole[2]), 0.5, 0.05, "height");
    await page.keyboard.down("Shift");
    await drag(at(0.6, 0.5), at(0.4, 0.5));
    await page.keyboard.up("Shift");
    near((await state())[0], part[0] + 0.2 * (part[1] - part[0]), 0.03, "moved");
    await page.evaluate(() => { const { player } = window.cardan.app; player.seek(1.5); player.playing = true; });
    await page.waitForFunction(() => window.cardan.app.plots[0].range[1] > 1.5);
    await page.evaluate(() => window.cardan.app.player.pause());
    const time = await page.evaluate(() => { window.cardan.app.player.seek(0.3); return window.cardan.app.player.time; });
    // both clicks in one task: a busy machine puts no pause between them that would make them two single ones; the timer
    // here ends after that of a single click
    await over.evaluate(async (target, [x, y]) => {
      for (const [type, detail] of [["mousedown", 1], ["mouseup", 1], ["click", 1], ["mousedown", 2], ["mouseup", 2], ["click", 2], ["dblclick", 2]]) {
        target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, detail }));
      }
      await new Promise((done) => setTimeout(done, 350));
    }, at(0.9, 0.5));
    assert.deepEqual(await state(), whole);
    assert.equal(await page.evaluate(() => window.cardan.app.player.time), time);
    await page.mouse.move(...at(0.5, 0.5));
    await page.locator("figure").first().locator(".at-time", { hasText: /^t (1|0\.9|1\.0)\S* s$/ }).waitFor();
  });
  assert.deepEqual(complaints, []);
  await close();
});

test("select: a click, the tree, a card, curves, the line, traces, ghosts, labels", async (t) => {
  const { page, complaints, close } = await open(browser, fileAddress("bench.html"), { width: 1100, height: 700 });
  const rows = table("bench.csv");
  const card = page.locator(".card");
  const selected = () => page.evaluate(() => window.cardan.app.selection.name);

  await t.test("by a click in the picture, and none by a click beside it", async () => {
    const place = await page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const { view, canvas } = window.cardan.app;
      const box = canvas.getBoundingClientRect();
      for (let y = 0.1; y < 0.9; y += 0.01) {
        for (let x = 0.1; x < 0.5; x += 0.01) {
          const part = view.pick(2 * x - 1, 1 - 2 * y);
          if (part?.body > 0) {
            return [box.x + x * box.width, box.y + y * box.height, view.motions[0].model.joints[view.motions[0].model.bodies[part.body].joint].name];
          }
        }
      }
      return null;
    });
    await page.mouse.click(place[0], place[1]);
    assert.equal(await selected(), place[2]);
    assert.ok(await card.isVisible());
    await page.keyboard.press("Escape");
    assert.equal(await selected(), undefined);
    assert.ok(!(await card.isVisible()));
  });

  await t.test("in the tree, by its search; the card has its numbers", async () => {
    await page.getByRole("tab", { name: "Bodies" }).click();
    await page.getByLabel("Find a body or a joint").fill("m revolute");
    await page.locator(".tree button").first().click();
    assert.equal(await selected(), "M");
    await page.evaluate((time) => window.cardan.app.player.seek(time), rows.t[100]);
    const angle = String(Number(rows["q.M"][100].toPrecision(5))).replace("-", "−");
    await page.waitForFunction((text) => [...document.querySelectorAll(".card dd")].some((d) => d.textContent === text), angle);
  });

  await t.test("energies of all bodies add up to that of the run", async () => {
    for (const row of [0, 100, rows.t.length - 1]) { // at both ends differences have one side
      const sums = await page.evaluate((time) => {
        const { selection, page: { model } } = window.cardan.app;
        const all = model.bodies.map((_b, i) => (i === 0 ? { kinetic: 0, potential: 0 } : selection.states.at(time, i)));
        return [all.reduce((s, b) => s + b.kinetic, 0), all.reduce((s, b) => s + b.potential, 0)];
      }, rows.t[row]);
      // differences over a fiftieth of a row on cubics: some 1e-4 of the velocities; at rest d^2 of them, squared
      near(sums[0], rows.kinetic[row], 1e-3 * rows.kinetic[row] + 1e-10, "kinetic");
      near(sums[1], rows.potential[row], 1e-6 * Math.abs(rows.potential[row]), "potential");
    }
  });

  await t.test("its curves, its line, traces, names and ghosts", async () => {
    await card.getByRole("button", { name: "Curves" }).click();
    assert.deepEqual(await page.evaluate(() => window.cardan.app.plots.at(-1).columns), ["q.M", "v.M"]);
    assert.match(await page.evaluate(() => window.cardan.app.plots.at(-2).columns.join()), /^R\.M\.fx,R\.M\.fy,R\.M\.fz/);
    await card.getByRole("button", { name: /^Line/ }).click();
    assert.match(await page.locator(".source .here").textContent(), /"M"/);
    const pixels = () => page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return document.querySelector(".canvas canvas").toDataURL();
    });
    let before = await pixels();
    for (const act of [() => page.keyboard.press("g"), () => page.getByLabel("Trace a point").selectOption({ label: "O" }),
      () => page.getByLabel("Trace a point").selectOption({ label: "N" }), () => page.keyboard.press("Escape")]) {
      await act();
      const now = await pixels();
      assert.notEqual(now, before);
      before = now;
    }
    assert.equal(await page.locator(".traces .chip").count(), 2);
    await page.locator("canvas").first().focus();
    await page.keyboard.press("l");
    await page.waitForFunction(() => document.querySelectorAll(".labels span").length === 7);
  });
  assert.deepEqual(complaints, []);
  await close();
});

test("compare: errors over time and step, runs on and off, the reference, apart", async () => {
  const { status, out, err } = run("compare", "pendulum:5", "--methods", "vi,aba/rk4", "--time", "1", "--dt", "0.02,0.01", "--report", "errors.html", "--json");
  assert.equal(status, 0, err);
  const { entries, errors } = JSON.parse(out);
  assert.equal(errors, undefined); // they are the page's alone
  const { page, complaints, close } = await open(browser, fileAddress("errors.html"), { width: 1000, height: 600 });
  const figure = page.locator("figure", { hasText: "Error over time" });
  await page.evaluate(() => window.cardan.app.player.seek(1));
  const last = await page.evaluate(() => window.cardan.app.errors.curves.map((c) => c.column.delta.at(-1)));
  // four digits are on the page
  entries.forEach((e, k) => near(last[k], e.error_final, 1e-3 * e.error_final, e.label));
  assert.equal(await figure.locator(".legend li:not(.off)").count(), 2); // each at its smallest step
  assert.match(await page.getByLabel(/^Error over step/).textContent(), /vi ?order (2|1\.9|2\.0).*aba\/rk4 ?order (4|3\.9)/);

  const pixels = () => page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return document.querySelector(".canvas canvas").toDataURL();
  });
  let before = await pixels();
  for (const act of [() => page.getByLabel("How far apart motions are drawn").fill("0.4"), () => page.getByLabel("Show the reference").uncheck(), () => page.getByLabel("Show aba/rk4").uncheck()]) {
    await act();
    const now = await pixels();
    assert.notEqual(now, before);
    before = now;
  }
  assert.equal(await figure.locator(".legend li:not(.off)").count(), 1);
  assert.equal(await page.locator("figure", { hasText: "Size of energy" }).locator(".legend li:not(.off)").count(), 1);
  assert.deepEqual(complaints, []);
  await close();
});

test("share: a link, embedded, a film, tables and drawings, print", async (t) => {
  write("short.mbs", '(system "short" (gravity 0 0 -9.81) (ry "a" (tz -1 (name "bob") (mass 1))) (initial ("a" 1)))\n');
  const { status, err } = run("run", "short.mbs", "--time", "0.2", "--dt", "0.01", "--report", "short.html", "--out", "short.csv", "--film", "short.gif", "--quiet");
  assert.equal(status, 0, err);
  const rows = table("short.csv");
  const here = `${fileAddress("short.html")}#t=0.1&select=a&tab=Bodies&trace=bob&plot=q.a*v.a~log~&plot=%E0%A4%A`;
  const { page, complaints, close } = await open(browser, here, { width: 560, height: 420 });
  const state = () => page.evaluate(() => {
    const { app } = window.cardan;
    return { time: app.player.time, selected: app.selection.name, traces: app.kept.traces, pose: app.view.pose.flatMap((v) => v.toArray()) };
  });
  const menu = page.locator(".share");
  const download = async (click) => {
    const [file] = await Promise.all([page.waitForEvent("download"), click()]);
    return readFileSync(await file.path());
  };

  await t.test("the address says where and what; another one gives the same", async () => {
    const first = await state();
    assert.deepEqual([first.time, first.selected, first.traces], [0.1, "a", ["bob"]]);
    await page.evaluate(() => { const { view } = window.cardan.app; view.camera.position.x += 0.5; view.rig.controls.update(); window.cardan.app.player.seek(0.15); window.cardan.app.addPlot(["v.a"], { degrees: true }); });
    const moved = await state();
    await menu.locator("summary").click();
    await menu.getByRole("button", { name: "Embed" }).click();
    const link = await page.getByLabel("Link", { exact: true }).inputValue();
    const other = await open(browser, link, { width: 560, height: 420 });
    const again = await other.page.evaluate(() => [window.cardan.app.player.time, window.cardan.app.selection.name,
      window.cardan.app.view.pose.flatMap((v) => v.toArray()), window.cardan.app.kept.plots.map((p) => [p.names, p.look.degrees])]);
    assert.deepEqual([again[0], again[1], again[3]], [0.15, "a", [[["v.a"], true]]]);
    again[2].forEach((x, k) => near(x, moved.pose[k], 1e-4, "camera"));
    assert.ok(!(await other.page.locator("header").isVisible()) && !(await other.page.locator(".side").isVisible()));
    assert.ok(await other.page.locator(".canvas canvas").isVisible());
    await other.close();
  });

  await t.test("a film that others can play", async () => {
    const bytes = await download(() => menu.getByRole("button", { name: "GIF" }).click());
    const film = await page.evaluate(async (list) => {
      const decoder = new ImageDecoder({ data: Uint8Array.from(list), type: "image/gif" });
      await decoder.tracks.ready;
      const { image } = await decoder.decode({ frameIndex: decoder.tracks.selectedTrack.frameCount - 1 });
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.displayWidth, image.displayHeight];
      canvas.getContext("2d").drawImage(image, 0, 0);
      image.close(); // or the browser complains when it collects it
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const { app } = window.cardan;
      app.view.render(app.player.end);
      const own = document.createElement("canvas");
      [own.width, own.height] = [canvas.width, canvas.height];
      const context = own.getContext("2d");
      context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--stage-1").trim();
      context.fillRect(0, 0, own.width, own.height);
      context.drawImage(app.canvas, 0, 0, own.width, own.height);
      const there = context.getImageData(0, 0, own.width, own.height).data;
      let far = 0;
      for (let i = 0; i < data.length; i++) {
        far += Math.abs(data[i] - there[i]) > 24 ? 1 : 0;
      }
      return { frames: decoder.tracks.selectedTrack.frameCount, far: far / data.length };
    }, [...bytes]);
    assert.equal(film.frames, 5); // 25 a second
    assert.ok(film.far < 0.02, `${film.far} of the last frame are other colours`); // the time stands on it
  });

  await t.test("the page stays usable while a film is made, which can be cancelled", async () => {
    const gif = menu.getByRole("button", { name: "GIF" });
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" }); // whatever else the machine does
    const busy = async () => (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
    await page.evaluate(() => {
      window.drawn = 0;
      const count = () => { window.drawn++; requestAnimationFrame(count); };
      requestAnimationFrame(count);
      window.cardan.app.player.setSpeed(0.1); // 50 frames
    });
    const [begin, first] = [await busy(), await page.evaluate(() => window.drawn)];
    const bytes = await download(async () => {
      await Promise.all([page.waitForEvent("worker"), gif.click()]); // which reads and compresses the frames
      await menu.locator("progress").waitFor();
      assert.ok(await gif.isDisabled());
      await page.keyboard.press("End"); // keys and clicks do what they do
      assert.equal(await page.evaluate(() => window.cardan.app.player.time), 0.2);
    });
    const [end, last] = [await busy(), await page.evaluate(() => window.drawn)];
    const frames = await page.evaluate(async (list) => {
      const decoder = new ImageDecoder({ data: Uint8Array.from(list), type: "image/gif" });
      await decoder.tracks.ready;
      return decoder.tracks.selectedTrack.frameCount;
    }, [...bytes]);
    t.diagnostic(`a frame takes ${((1000 * (end - begin)) / 50).toFixed(1)} ms of the page, which drew ${last - first} times`);
    assert.equal(frames, 50);
    assert.ok(last > first, `${last - first} frames of the page`);

    let files = 0;
    page.on("download", () => files++);
    await gif.click();
    await menu.getByRole("button", { name: "Cancel" }).click();
    await menu.locator("progress").waitFor({ state: "detached" });
    assert.ok(!(await gif.isDisabled()) && files === 0);
  });

  await t.test("a film by the command has the same frames", async () => {
    const bytes = readFileSync(join(folder, "short.gif"));
    const film = await page.evaluate(async (list) => {
      const decoder = new ImageDecoder({ data: Uint8Array.from(list), type: "image/gif" });
      await decoder.tracks.ready;
      const dark = [];
      for (const frameIndex of [0, decoder.tracks.selectedTrack.frameCount - 1]) {
        const { image } = await decoder.decode({ frameIndex });
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.displayWidth, image.displayHeight];
        canvas.getContext("2d").drawImage(image, 0, 0);
        image.close();
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        dark.push(data.filter((v, i) => i % 4 === 1 && v < 160).length);
      }
      return { frames: decoder.tracks.selectedTrack.frameCount, dark };
    }, [...bytes]);
    assert.equal(film.frames, 5);
    film.dark.forEach((n) => assert.ok(n > 500 && n < 60000, `${n} pixels are drawn`)); // a bar, a ball, a joint
  });

  await t.test("tables and drawings of what is seen", async () => {
    const csv = String(await download(() => menu.getByRole("button", { name: "CSV" }).click())).trim().split("\n");
    assert.equal(csv.length, rows.t.length + 1);
    near(Number(csv[8].split(",")[csv[0].split(",").indexOf("q.a")]), rows["q.a"][7], 1e-6, "q.a");
    await page.keyboard.press("Escape");
    await page.evaluate(() => { window.cardan.app.openTab("Plots"); window.cardan.app.link.zoom(null, 0.05, 0.1); });
    const figure = page.locator("figure", { hasText: "Coordinates" });
    await figure.getByRole("button", { name: /^Options/ }).click();
    const part = String(await download(() => figure.getByRole("button", { name: "CSV" }).click())).trim().split("\n");
    assert.equal(part[0], "t [s],a [rad]");
    assert.equal(part.length, 1 + rows.t.filter((time) => time >= 0.05 && time <= 0.1).length);
    const svg = String(await download(() => figure.getByRole("button", { name: "SVG" }).click()));
    const shapes = await page.evaluate((text) => {
      const drawing = new DOMParser().parseFromString(text, "image/svg+xml");
      return [drawing.querySelectorAll("parsererror").length, drawing.querySelectorAll("g path").length, drawing.documentElement.textContent.includes("t [s]")];
    }, svg);
    assert.deepEqual(shapes, [0, 1, true]);
    assert.equal((await download(() => figure.getByRole("button", { name: "PNG" }).click())).subarray(1, 4).toString(), "PNG");
  });

  await t.test("on paper: all panels, nothing to press", async () => {
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator("#panel-facts").isVisible() && await page.locator("#panel-plots").isVisible());
    assert.ok(!(await page.locator(".tools").isVisible()) && !(await page.locator(".tabs").isVisible()));
  });
  assert.deepEqual(complaints, []);
  await close();
});
