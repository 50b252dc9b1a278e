// `npm start` builds what changed and starts a node; arguments go to `tallystick serve`.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./lib.mjs";

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const built = spawnSync(process.execPath, [tsc, "-b"], { cwd: root, stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);

const main = join(root, "packages", "server", "dist", "cli", "main.js");
const node = spawn(process.execPath, [main, "serve", ...process.argv.slice(2)], { stdio: "inherit" });
// The node drains by itself on these; this parent only hands them on and waits.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => node.kill(signal));
node.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128);
});
