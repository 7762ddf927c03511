// SPDX-License-Identifier: Apache-2.0
// Bundles the page into one HTML file, and that file into a C array for the library.
// usage: node build.mjs        writes page.html and page.c beside this file
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { deflateSync } from "node:zlib";

const options = { bundle: true, minify: true, write: false, legalComments: "none", target: "es2020" };

/** The bundled text of one entry file. */
async function bundle(entry, more) {
  const result = await build({ ...options, entryPoints: [entry], ...more });
  return result.outputFiles[0].text;
}

const worker = await bundle("src/gif_worker.ts", { format: "iife" });
const script = await bundle("src/main.ts", { format: "iife", define: { GIF_WORKER: JSON.stringify(worker) } });
const style = await bundle("src/style.css", {});
const template = await readFile("src/page.html", "utf8");

// licences of what is inside travel with the page
const licences = [];
for (const [name, file] of [["three", "LICENSE"], ["uplot", "LICENSE"], ["gifenc", "LICENSE.md"]]) {
  const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
  const text = await readFile(`node_modules/${name}/${file}`, "utf8");
  licences.push(`${name} ${version}\n${text.replaceAll("--", "- -").trim()}`);
}

// a function as replacement keeps "$&" and the like in the bundle as they are
const page = template
  .replace("/*style*/", () => style.replaceAll("</style", "<\\/style"))
  .replace("/*script*/", () => deflateSync(script, { level: 9 }).toString("base64"))
  .replace("<!--licences-->", () => `<!--\n${licences.join("\n\n")}\n-->`);
await writeFile("page.html", page);

const bytes = Buffer.from(page, "utf8");
const lines = [];
for (let i = 0; i < bytes.length; i += 32) {
  lines.push(bytes.subarray(i, i + 32).join(","));
}
await writeFile(
  "page.c",
  `// SPDX-License-Identifier: Apache-2.0
// Made by viewer/build.mjs from viewer/src.
#include "output/page.h"

const size_t cardan__page_length = ${bytes.length};
const unsigned char cardan__page_bytes[] = {
${lines.join(",\n")}};
`,
);
