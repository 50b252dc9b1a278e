// What several scripts share: where the repository is, which files are tests, how source is run.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The workspaces, lowest first. */
export const packages = ["packages/core", "packages/client", "packages/server"];

/** Node options that run TypeScript sources, sister packages included, without a build. */
export const SOURCE_RUN = ["--conditions=tallystick-source", "--import", "tsx"];

/** Every `*.test.ts` under packages/<name>/src and test, as sorted paths relative to the root. */
export function findTests() {
  const folders = [...packages.map((folder) => `${folder}/src`), "test"];
  return folders.flatMap((folder) => walk(join(root, folder)))
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => relative(root, file).split(sep).join("/"))
    .sort();
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
export function walk(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist") return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}
