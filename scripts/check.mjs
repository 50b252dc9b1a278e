// `npm run check`: everything a machine can say about the repository without running the tests.
// One line a step; the first failure prints that tool's output and ends the run.
// `npm run check -- lint arrows` runs only the steps named.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packages, root, walk } from "./lib.mjs";

const present = ["packages", "test", "bench", "examples"].filter((folder) => existsSync(join(root, folder)));
const doors = packages.flatMap(sourceDoors);
const unbuilt = doors.filter((door) => !existsSync(join(root, door)));
// A door of the export map without its file is a half-built package. It fails in CI; while it is being
// written, the checks of the package as a whole leave it out and say so.
const left = process.env["CI"] === "true" ? [] : unbuilt;
const whole = packages.filter((folder) => !left.some((door) => door.startsWith(`${folder}/`)));
const legacy = "test/decorators-legacy";
const hasLegacy = walk(join(root, legacy)).some((file) => file.endsWith(".ts"));

/** @type {{ name: string, what: string, commands: string[][] }[]} */
const steps = [
  {
    name: "types",
    what: "sources, tests, benchmarks, examples and scripts",
    commands: [["tsc", "-p", "tsconfig.test.json"], ...(hasLegacy ? [["tsc", "-p", legacy]] : [])],
  },
  { name: "lint", what: "eslint, strict and type-checked", commands: [["eslint", "--max-warnings=0", "."]] },
  {
    name: "arrows",
    what: "imports between folders",
    commands: [["depcruise", "--config", ".dependency-cruiser.cjs", ...present]],
  },
  { name: "unused", what: "files, exports and dependencies", commands: [["knip", "--no-progress"]] },
  { name: "build", what: "tsc -b", commands: [["tsc", "-b"]] },
  { name: "publint", what: "package.json of each package", commands: whole.map((p) => ["publint", "--strict", p]) },
  {
    name: "attw",
    what: "types as each package's users see them",
    commands: whole.filter((p) => sourceDoors(p).length > 0).map((p) => ["attw", "--pack", p, "--profile", "esm-only"]),
  },
  { name: "docs", what: "typedoc, a warning is an error", commands: [["typedoc", ...doors.filter((door) => !left.includes(door))]] },
  { name: "size", what: "what the core adds to an application", commands: [["size-limit"]] },
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`no step ${unknown.join(", ")}; steps: ${steps.map((step) => step.name).join(" ")}`);
  process.exit(2);
}
for (const door of left) console.log(`--  not there yet, its package is not checked as a whole: ${door}`);
for (const step of steps) {
  if (asked.length > 0 && !asked.includes(step.name)) continue;
  const began = performance.now();
  for (const [tool = "", ...args] of step.commands) run(step.name, tool, args);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`ok  ${step.name.padEnd(8)} ${seconds.padStart(5)} s  ${step.what}`);
}

/** @param {string} name @param {string} tool @param {string[]} args */
function run(name, tool, args) {
  const bin = join(root, "node_modules", ".bin", tool);
  const done = spawnSync(bin, args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (done.status === 0) return;
  console.error(done.stdout, done.stderr, done.error ?? "");
  console.error(`FAILED  ${name}: ${tool} ${args.join(" ")}`);
  process.exit(1);
}

/**
 * The source files behind a package's export map; the server has none, its door is its command.
 * @param {string} folder
 */
function sourceDoors(folder) {
  const text = readFileSync(join(root, folder, "package.json"), "utf8");
  const manifest = /** @type {{ exports: Record<string, string | Record<string, string>> }} */ (JSON.parse(text));
  return Object.values(manifest.exports).flatMap((door) => {
    const source = typeof door === "string" ? undefined : door["tallystick-source"];
    return source === undefined ? [] : [join(folder, source)];
  });
}
