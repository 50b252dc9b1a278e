// `npm run prove -- NAME` runs test/prove/NAME.ts from source; further arguments go to it. Without a name: the list.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { SOURCE_RUN, root } from "./lib.mjs";

const folder = join(root, "test", "prove");
const names = existsSync(folder)
  ? readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => basename(file, ".ts")).sort()
  : [];
const [name, ...rest] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  if (name !== undefined) console.error(`no proof is named ${name}`);
  console.error(`usage: npm run prove -- NAME [arguments]\nnames: ${names.join(", ") || "(none yet)"}`);
  process.exitCode = 2;
} else {
  const args = [...SOURCE_RUN, "--enable-source-maps", join(folder, `${name}.ts`), ...rest];
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1;
}
