// SPDX-License-Identifier: Apache-2.0
// Symbols and camera: pictures that were reviewed and accepted, and what stays as large on the screen.
// CARDAN_RENEW=1 writes the golden pictures again; review them then.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileAddress, folder, frames, launch, open, run, write } from "./support.mjs";

const golden = process.env.CARDAN_GOLDEN ?? join(dirname(new URL(import.meta.url).pathname), "golden");
const WIDTH = 96;
const HEIGHT = 80;
// of 255, over pixels that are the mean of some 8 x 8: another way of smoothing edges moves them by less, a symbol
// that is missing by more (the last test of the group shows it)
const MEAN = 1.5;
const LARGE = 40;
const SHARE = 0.01;

let browser;
before(async () => { browser = await launch({ pictures: true }); });
after(() => browser?.close());

/** A picture, drawn small on white: from the 3-D view, or from a file. */
async function small(page, file) {
  const source = file && `data:image/png;base64,${readFileSync(file).toString("base64")}`;
  return page.evaluate(async ([data, w, h]) => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    let from = document.querySelector(".canvas canvas");
    if (data) {
      from = new Image();
      from.src = data;
      await from.decode();
    }
    const to = document.createElement("canvas");
    to.width = w;
    to.height = h;
    const context = to.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.fillStyle = "#fff";
    context.fillRect(0, 0, w, h);
    // of a file the mechanism, without the plots beside it: 420 of 960
    context.drawImage(from, 0, 0, data ? (from.width * 7) / 16 : from.width, from.height, 0, 0, w, h);
    return to.toDataURL("image/png").split(",")[1];
  }, [source ?? null, WIDTH, HEIGHT]);
}

/** Mean difference of two small pictures, and the share of pixels that differ much. */
function difference(page, a, b) {
  return page.evaluate(async ([one, two, large]) => {
    const pixels = await Promise.all([one, two].map(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.width;
      canvas.height = image.height;
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    }));
    let sum = 0;
    let much = 0;
    const n = pixels[0].length / 4;
    for (let i = 0; i < 4 * n; i += 4) {
      const d = Math.max(...[0, 1, 2].map((k) => Math.abs(pixels[0][i + k] - pixels[1][i + k])));
      sum += d;
      much += d > large ? 1 : 0;
    }
    return { mean: sum / n, share: much / n };
  }, [a, b, LARGE]);
}

async function check(page, name, picture) {
  const file = join(golden, `${name}.png`);
  if (process.env.CARDAN_RENEW) {
    writeFileSync(file, Buffer.from(picture, "base64"));
  }
  assert.ok(existsSync(file), `${file} is not there: CARDAN_RENEW=1 makes it`);
  const { mean, share } = await difference(page, picture, readFileSync(file).toString("base64"));
  assert.ok(mean < MEAN && share < SHARE, `${name}: differs by ${mean.toFixed(2)} of 255, ${(100 * share).toFixed(2)} % of the pixels by more than ${LARGE}`);
}

/** The view in a size of its own, whatever else the page has. */
async function alone(page) {
  await page.addStyleTag({ content: ".canvas { position: fixed !important; width: 768px !important; height: 640px !important; }" });
  await page.waitForFunction(() => document.querySelector(".canvas canvas").clientHeight === 640);
  await page.evaluate(async () => {
    const { view, player } = window.cardan.app;
    view.resize();
    view.fit();
    player.seek(0.4);
  });
}

const models = ["closed-chain", "slider-crank", "spring", "gear"];

describe("pictures", () => {
  before(() => {
    for (const model of models) {
      const { status, err } = run("run", model, "--time", "1", "--report", `${model}.html`, "--png", `${model}.png`, "--quiet");
      assert.equal(status, 0, err);
    }
  });

  for (const model of models) {
    test(`of ${model} are as they were`, async () => {
      const { page, complaints, close } = await open(browser, fileAddress(`${model}.html`), { width: 1240, height: 800 });
      await alone(page);
      await check(page, `${model}-page`, await small(page));
      await check(page, `${model}-picture`, await small(page, join(folder, `${model}.png`)));
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  test("differ where symbols are hidden", async () => {
    const { page, close } = await open(browser, fileAddress("closed-chain.html"), { width: 1240, height: 800 });
    await alone(page);
    const with_ = await small(page);
    await page.keyboard.press("j");
    const { mean, share } = await difference(page, with_, await small(page));
    assert.ok(mean > MEAN || share > SHARE, `${mean} of 255, ${share}`);
    await close();
  });
});

/** Place on the screen [px] of a point of the world. */
function screen(page, x, y, z) {
  return page.evaluate(([a, b, c]) => {
    const { view } = window.cardan.app;
    const canvas = document.querySelector(".canvas canvas");
    view.camera.updateMatrixWorld();
    const v = view.camera.position.clone().set(a, b, c).project(view.camera);
    return [((v.x + 1) / 2) * canvas.clientWidth, ((1 - v.y) / 2) * canvas.clientHeight];
  }, [x, y, z]);
}

describe("forces", () => {
  before(() => {
    write("hangs.mbs", '(system (gravity 0 0 -10) (ry "a" (tz -1 (name "end") (mass 2 1 1 1))) (tx 1 (name "top") (tz -1.5 (tz "z" (name "low") (mass 3)))) (spring "top" "low" 100 1.2))\n');
    assert.equal(run("run", "hangs.mbs", "--time", "0.2", "--report", "hangs.html", "--quiet").status, 0);
  });

  test("are arrows of reactions, springs and weights, with a scale; masses have centres", async () => {
    const { page, complaints, close } = await open(browser, fileAddress("hangs.html"));
    await page.keyboard.press("v");
    await page.keyboard.press("m");
    const seen = await page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const { view } = window.cardan.app;
      const [shafts, heads] = view.forces.group.children;
      const tips = Array.from({ length: heads.count }, (_v, i) => [...heads.instanceMatrix.array.slice(16 * i + 12, 16 * i + 15)]);
      const balls = view.forces.centres.children[0];
      const all = [...balls.instanceMatrix.array.slice(16 * (balls.count - 1) + 12, 16 * (balls.count - 1) + 15)];
      return { tips, shafts: shafts.count, scale: view.forces.scale, all, text: document.querySelector(".scale .force").textContent,
        bar: document.querySelector(".scale b").getBoundingClientRect().width, height: view.rig.shownHeight(), canvas: document.querySelector(".canvas canvas").clientHeight };
    });
    // two reactions, a spring at both ends, two weights; the slider's own direction is no reaction: none there
    assert.equal(seen.shafts, 5);
    // the hinge holds 2 kg at rest: 20 N upwards from the origin; spring 100 (1.5 - 1.2) = 30 N down from its upper end
    const near = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 1e-4 * seen.scale * 20; // floats of the page
    assert.ok(near(seen.tips[0], [0, 0, 20 * seen.scale]), `${seen.tips[0]} at ${seen.scale} m/N`);
    assert.ok(near(seen.tips[1], [1, 0, -30 * seen.scale]), `${seen.tips[1]}`);
    assert.ok(near(seen.all, [0.6, 0, -1.3]), `${seen.all}`);
    const newtons = Number(seen.text.split(" ")[0]);
    assert.ok(Math.abs((newtons * seen.scale) / seen.bar - seen.height / seen.canvas) < 0.02 * (seen.height / seen.canvas), JSON.stringify(seen));
    assert.deepEqual(complaints, []);
    await close();
  });

  test("of dampers, wires, wrenches and drives have theirs; torques are arcs, with a scale; what has none is listed", async () => {
    // a damper drawn apart at 0.5 m/s; 3 kg on a wire; a push of 7 N; a motor that holds 2 kg at 1 m; and more dampers than there is room for
    write("acts.mbs", `(system (gravity 0 0 -10) (tx 1 (name "top") (tz -1.5 (tz "z" (name "low") (mass 3)))) (motion "z" (* -0.5 t)) (damper "top" "low" 40)
      (tx 3 (name "nail") (tz -1 (tz "w" (name "bob") (mass 3)))) (wire "nail" "bob" 1) (wrench world "bob" (7 0 0) (0 0 0))
      (tx -2 (ry "a" (tx 1 (mass 2 1 1 1)))) (motion "a" 0) ${'(damper "top" "low" 1e-9)'.repeat(97)})\n`);
    assert.equal(run("run", "acts.mbs", "--time", "0.2", "--report", "acts.html", "--quiet").status, 0);
    const { page, complaints, close } = await open(browser, fileAddress("acts.html"));
    await page.keyboard.press("v");
    const seen = await page.evaluate(async () => {
      window.cardan.app.player.seek(0.1);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const { forces } = window.cardan.app.view;
      const [shafts, heads, arcs] = forces.group.children;
      const places = (mesh) => Array.from({ length: mesh.count }, (_v, i) => [...mesh.instanceMatrix.array.slice(16 * i + 12, 16 * i + 15)]);
      return { shafts: places(shafts), tips: places(heads), arcs: places(arcs), scale: forces.scale, halfTurn: forces.halfTurn,
        text: document.querySelector(".scale .torque").textContent, key: [...document.querySelectorAll(".makers li")].map((li) => li.textContent) };
    });
    const has = (from, force) => {
      const tip = from.map((x, k) => x + force[k] * seen.scale);
      const near = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 1e-3 * 20 * seen.scale; // 2^-16 of the weight, floats
      assert.ok(seen.shafts.some((p) => near(p, from)) && seen.tips.some((p) => near(p, tip)), `${force} N at ${from}: ${JSON.stringify(seen)}`);
    };
    has([1, 0, 0], [0, 0, -20]); // damper: 40 x 0.5, at both ends
    has([1, 0, -1.55], [0, 0, 20]);
    has([3, 0, 0], [0, 0, -30]); // the wire carries 3 kg
    has([3, 0, -1], [0, 0, 30]);
    has([3, 0, -1], [7, 0, 0]); // the wrench
    has([1, 0, -1.55], [0, 0, 10]); // the motion holds back what the damper does not carry
    // the motor's torque is -20 N m about y, and half a turn is the next round number: from above by the right hand, half round
    assert.equal(seen.halfTurn, 20);
    assert.equal(seen.text, "half a turn: 20 N m");
    assert.equal(seen.arcs.length, 24);
    const [first, middle] = [seen.arcs[0], seen.arcs[12]];
    assert.ok(first[2] > 0 && Math.abs(first[0] + 2) < 1e-6 && middle[0] < -2, `${first}, ${middle}`);
    assert.deepEqual(seen.key, ["joints", "springs, dampers", "wires, ropes", "drives", "loads", "weights"]);
    await page.getByRole("tab", { name: "Facts" }).click();
    assert.match(await page.locator("dl.facts").last().textContent(), /No arrows of\d+ springs and dampers/);
    assert.deepEqual(complaints, []);
    await close();
  });
});

describe("the camera", () => {
  before(() => {
    write("falls.mbs", '(system (gravity 0 0 -9.81) (tx "x" (tz "z" (mass 2 1 1 1) (shape sphere 0.1))))\n');
    assert.equal(run("run", "falls.mbs", "--time", "3", "--report", "falls.html", "--quiet").status, 0);
  });

  test("zooms to the cursor", async () => {
    const { page, close } = await open(browser, fileAddress("closed-chain.html"));
    const box = await page.locator(".canvas canvas").boundingBox();
    const point = await page.evaluate(() => window.cardan.app.view.rig.controls.target.toArray());
    const [x, y] = await screen(page, ...point);
    await page.mouse.move(box.x + x + 120, box.y + y - 60);
    const far = await page.evaluate(() => window.cardan.app.view.rig.shownHeight());
    for (let k = 0; k < 5; k++) {
      const height = await page.evaluate(() => window.cardan.app.view.rig.shownHeight());
      await page.mouse.wheel(0, -200);
      await page.waitForFunction((h) => window.cardan.app.view.rig.shownHeight() < h, height);
    }
    await frames(page);
    const near = await page.evaluate(() => window.cardan.app.view.rig.shownHeight());
    assert.ok(near < 0.8 * far, `${near} m of ${far} m`);
    // the middle of the picture went away from the cursor: it is no longer in the middle
    const [x1, y1] = await screen(page, ...point);
    assert.ok(x1 < x - 20 && y1 > y + 10, `${x1}, ${y1} after ${x}, ${y}`);
    await close();
  });

  test("looks from the sides, along parallel lines, by keys", async () => {
    const { page, close } = await open(browser, fileAddress("slider-crank.html"));
    const direction = () => page.evaluate(() => {
      const { camera, rig } = window.cardan.app.view;
      return camera.position.clone().sub(rig.controls.target).normalize().toArray();
    });
    for (const [key, wanted] of [["1", [0, -1, 0]], ["2", [1, 0, 0]], ["3", [0, 0, 1]]]) {
      await page.keyboard.press(key);
      const now = await direction();
      now.forEach((v, k) => assert.ok(Math.abs(v - wanted[k]) < 1e-3, `${key}: ${now}`)); // 1e-4 off the vertical
    }
    await page.keyboard.press("1");
    const before_ = await page.evaluate(() => window.cardan.app.view.rig.shownHeight());
    await page.keyboard.press("o");
    assert.ok(await page.evaluate(() => window.cardan.app.view.camera.isOrthographicCamera));
    const height = await page.evaluate(() => window.cardan.app.view.rig.shownHeight());
    assert.ok(Math.abs(height - before_) < 1e-9 * before_, `${height} m, ${before_} m before`);
    // points one behind another are one on the screen
    const [a, b] = [await screen(page, 0.3, -0.5, 0.2), await screen(page, 0.3, 0.5, 0.2)];
    assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < 0.5, `${a}, ${b}`);
    const turned = await direction();
    await page.keyboard.press("d");
    const after_ = await direction();
    assert.ok(Math.abs(after_[0] - turned[0]) > 0.1);
    await page.keyboard.press("o");
    assert.ok(await page.evaluate(() => window.cardan.app.view.camera.isPerspectiveCamera));
    await close();
  });

  test("keeps symbols as large, and says how large a length is", async () => {
    const { page, close } = await open(browser, fileAddress("spring.html"));
    const measured = () => page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const { view } = window.cardan.app;
      const bar = document.querySelector(".scale i").getBoundingClientRect().width;
      const [number, unit] = document.querySelector(".scale span:not(.force)").textContent.split(" ");
      const metres = Number(number) * { km: 1000, m: 1, cm: 0.01, mm: 0.001 }[unit];
      return { bar, metres, height: view.rig.shownHeight(), canvas: document.querySelector(".canvas canvas").clientHeight };
    });
    for (let k = 0; k < 2; k++) {
      const { bar, metres, height, canvas } = await measured();
      assert.ok(bar >= 50 && bar <= 160, `${bar} px`);
      assert.ok(Math.abs(metres / bar - height / canvas) < 0.01 * (height / canvas), `${metres} m on ${bar} px, ${height} m on ${canvas}`);
      await page.evaluate(() => window.cardan.app.view.rig.zoom(3));
    }
    await close();
  });

  test("goes along with what falls", async () => {
    const { page, close } = await open(browser, fileAddress("falls.html"));
    await page.evaluate(() => window.cardan.app.player.seek(2.5));
    await page.waitForFunction(() => window.cardan.app.view.shown === 2.5);
    const place = await page.evaluate(() => window.cardan.app.view.motions[0].poses.slice(-3));
    const [x, y] = await screen(page, ...Object.values(place));
    const box = await page.locator(".canvas canvas").boundingBox();
    assert.ok(x > 0 && x < box.width && y > 0 && y < box.height, `at ${x}, ${y} of ${box.width} x ${box.height}`);
    await close();
  });

  test("restarts at the end, until that is switched off", async () => {
    const { page, close } = await open(browser, fileAddress("closed-chain.html"), { still: false });
    const near = () => page.evaluate(() => { window.cardan.app.player.seek(0.98 * window.cardan.app.player.end); window.cardan.app.player.play(); });
    await near();
    await page.waitForFunction(() => window.cardan.app.player.time < 0.5 * window.cardan.app.player.end);
    assert.ok(await page.evaluate(() => window.cardan.app.player.playing));
    await page.keyboard.press("r");
    await near();
    await page.waitForFunction(() => !window.cardan.app.player.playing);
    assert.ok(await page.evaluate(() => window.cardan.app.player.time === window.cardan.app.player.end));
    await close();
  });

  test("leaves a finger to scroll a narrow page", async () => {
    const { page, close } = await open(browser, fileAddress("closed-chain.html"), { width: 390, height: 844 });
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".canvas canvas")).touchAction), "pan-y");
    await close();
  });
});
