// SPDX-License-Identifier: Apache-2.0
// Pages and pictures of the built-in models on one sheet: scripts/contact-sheet FOLDER [MODEL..]
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder as work, launch, open, run } from "./support.mjs";

const [target, ...wanted] = process.argv.slice(2);
const { models } = JSON.parse(run("list", "--json").out);
const names = wanted.length > 0 ? wanted : models.map((m) => (m.size > 0 ? `${m.name}:${Math.min(m.size, 100)}` : m.name));
const windows = [["wide", { width: 1440, height: 900 }], ["phone", { width: 390, height: 844, dark: true }]];
const browser = await launch();
const rows = [];

for (const model of names) {
  const file = model.replace(/\W/g, "-");
  const { status, err } = run("run", model, "--time", "2", "--report", `${file}.html`, "--png", join(target, `${file}.png`), "--quiet");
  const shots = [];
  for (const [word, options] of status === 0 ? windows : []) {
    const { page, complaints, close } = await open(browser, `file://${join(work, `${file}.html`)}`, options);
    await page.evaluate(() => window.cardan.app.player.seek(0.6 * window.cardan.app.player.end));
    await page.waitForTimeout(150);
    await page.screenshot({ path: join(target, `${file}-${word}.png`) });
    shots.push(`${file}-${word}.png`);
    complaints.forEach((c) => console.log(`${model}: ${c}`));
    await close();
  }
  console.log(status === 0 ? model : `${model}: ${err.trim()}`);
  rows.push(`<figure><figcaption>${model}${status === 0 ? "" : " ended early"}</figcaption>${[...shots, `${file}.png`].map((s) => `<img src="${s}" alt="">`).join("")}</figure>`);
}

const style = "body{font:13px sans-serif;margin:8px;display:grid;grid-template-columns:1fr 1fr;gap:10px}figure{margin:0;display:grid;grid-template-columns:43% 12.5% 42%;gap:1%}figcaption{grid-column:1/-1;font-weight:600}img{width:100%}";
writeFileSync(join(target, "index.html"), `<!doctype html><meta charset="utf-8"><title>Built-in models</title><style>${style}</style>${rows.join("\n")}`);
const sheet = await browser.newPage({ viewport: { width: 1900, height: 1000 } });
await sheet.goto(`file://${join(target, "index.html")}`);
await sheet.screenshot({ path: join(target, "sheet.png"), fullPage: true });
await browser.close();
rmSync(work, { recursive: true, force: true });
console.log(`${join(target, "sheet.png")}: ${names.length} models, ${readFileSync(join(target, "sheet.png")).length} bytes`);
