// Removes what a build, a coverage run and typedoc leave behind.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { packages, root } from "./lib.mjs";

const folders = [...packages.map((folder) => `${folder}/dist`), "coverage", ".typedoc"];
for (const folder of folders) rmSync(join(root, folder), { recursive: true, force: true });
