// A node:test reporter that writes one JSON object, { ran, skipped: [names] }, for scripts/test.mjs.

/** @param {AsyncIterable<import("node:test/reporters").TestEvent>} source */
export default async function* counts(source) {
  let ran = 0;
  /** @type {string[]} */
  const skipped = [];
  for await (const event of source) {
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    const { name, skip, todo, file, details } = event.data;
    if (skip !== undefined || todo !== undefined) skipped.push(`${file ?? "?"}: ${name}`);
    else if (details.type !== "suite") ran += 1;
  }
  yield JSON.stringify({ ran, skipped });
}
