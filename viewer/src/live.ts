// SPDX-License-Identifier: Apache-2.0
// A page that follows a file: it asks for news, and the server answers when the file has changed.
import { h } from "./dom";

const RETRY_MS = 1000;

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** address: where to ask, with `after`, the state that the page shows. Calls show with the data of each new state of the file; reports it in the page while the server is away. */
export async function followFile(address: string, show: (text: string) => void): Promise<void> {
  const away = h("div", { class: "away", role: "status" }, "The server has ended: start `cardan view` again to continue.");
  const url = new URL(address, location.href);
  let seen = url.searchParams.get("after");
  for (;;) {
    try {
      url.searchParams.set("after", seen ?? "");
      const answer = await fetch(url, { cache: "no-store" });
      if (!answer.ok) {
        throw new Error(String(answer.status));
      }
      const next = answer.headers.get("Cardan-Version");
      if (answer.status === 200 && next !== seen) {
        show(await answer.text());
        seen = next;
      }
      away.remove();
    } catch {
      document.body.append(away);
      await wait(RETRY_MS);
    }
  }
}
