// SPDX-License-Identifier: Apache-2.0
// Where wheels, balls and blades touch their plane: a dot, and a trace that grows as the page plays.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { drawn, fileAddress, frames, launch, open, run, table } from "./support.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const near = (a, b, tolerance) => a.every((x, k) => Math.abs(x - b[k]) < tolerance);

/** The page of a built-in model, and its table. */
async function pageOf(model, ...options) {
  const { status, err } = run("run", model, ...options, "--report", "tracks.html", "--out", "tracks.csv", "--quiet");
  assert.equal(status, 0, err);
  return open(browser, fileAddress("tracks.html"));
}

/** Dots and lines at a time: places, how many points of each line are drawn, its pose, and the last of its points. */
async function tracksAt(page, t) {
  await page.evaluate((at) => window.cardan.app.player.seek(at), t);
  await frames(page);
  return page.evaluate(() => {
    const { dots, lines } = window.cardan.app.view.tracks[0];
    return lines.map((line, k) => {
      const { count } = line.geometry.drawRange;
      const points = line.geometry.attributes.position.array;
      return {
        dot: [...dots.instanceMatrix.array.slice(16 * k + 12, 16 * k + 15)],
        count, pose: [...line.matrix.elements], last: [...points.slice(3 * (count - 1), 3 * count)],
      };
    });
  });
}

describe("a page of what rolls", () => {
  test("shows the lowest point of each rim, on the plane, and its way up to now", async () => {
    const { page, complaints, close } = await pageOf("rolling-disc", "--dt", "0.01", "--time", "2");
    const rows = table("tracks.csv");
    for (const i of [0, 70, 200]) {
      const at = (name) => rows[`q.disc.${name}`][i];
      const [w, x, y, z] = ["qw", "qx", "qy", "qz"].map(at);
      const a = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]; // the axis, z of the disc
      const m = [-a[2] * a[0], -a[2] * a[1], 1 - a[2] * a[2]];
      const size = Math.hypot(...m);
      const point = ["x", "y", "z"].map((k, j) => at(k) - (0.3 * m[j]) / size);
      const [track] = await tracksAt(page, rows.t[i]);
      assert.ok(near(track.dot, point, 1e-5), `${track.dot} and ${point}`);
      assert.ok(Math.abs(point[2]) < 1e-9); // it rolls on z = 0
      assert.equal(track.count, i + 1);
      assert.ok(near(track.last.slice(0, 2), point, 1e-5) && track.last[2] > 0 && track.last[2] < 0.02, String(track.last));
    }
    const button = page.getByRole("button", { name: "Contacts" });
    const shown = await drawn(page);
    await page.keyboard.press("c");
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.notDeepEqual(await drawn(page), shown);
    assert.deepEqual(complaints, []);
    await close();
  });

  test("keeps the trace on a table that turns", async () => {
    const { page, close } = await pageOf("ball-table", "--dt", "0.01", "--time", "2");
    const rows = table("tracks.csv");
    const [track] = await tracksAt(page, 2);
    const n = rows.t.length - 1;
    const [c, s] = [Math.cos(rows["q.turn"][n]), Math.sin(rows["q.turn"][n])];
    assert.ok(near(track.pose.slice(0, 3), [c, s, 0], 1e-6), String(track.pose));
    const [x, y] = [rows["q.ball.x"][n], rows["q.ball.y"][n]];
    assert.ok(near(track.dot, [x, y, 0], 1e-5));
    assert.ok(near(track.last.slice(0, 2), [c * x + s * y, c * y - s * x], 1e-5)); // in the table's axes
    await close();
  });

  test("has one for each blade, and none where nothing rolls", async () => {
    const blades = await pageOf("snakeboard", "--dt", "0.02", "--time", "1");
    const rows = table("tracks.csv");
    const [front, back] = await tracksAt(blades.page, 1);
    const n = rows.t.length - 1;
    const [c, s] = [Math.cos(rows["q.theta"][n]), Math.sin(rows["q.theta"][n])];
    assert.ok(near(front.dot, [rows["q.x"][n] + 0.3 * c, rows["q.y"][n] + 0.3 * s, 0], 1e-5));
    assert.ok(near(back.dot, [rows["q.x"][n] - 0.3 * c, rows["q.y"][n] - 0.3 * s, 0], 1e-5));
    await blades.close();
    const plain = await pageOf("pendulum", "--time", "0.5");
    assert.equal(await plain.page.getByRole("button", { name: "Contacts" }).count(), 0);
    assert.deepEqual(await tracksAt(plain.page, 0.2), []);
    await plain.close();
  });
});
