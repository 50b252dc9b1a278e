// Runs the tests from source: `npm test`, `npm test -- packages/core/src/lanes`, `npm test -- --grep "denied"`.
//
// Arguments are test files, folders or parts of a path; --grep PATTERN runs only tests whose name matches.
// Node 20 takes a list of files and no globs, so the files are found here. With CI=true a skipped or todo
// test, or a run that executed nothing, fails: a green run means that everything ran.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SOURCE_RUN, findTests, root } from "./lib.mjs";

const { filters, grep } = parseArguments(process.argv.slice(2));
const files = findTests().filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
if (files.length === 0) {
  console.error(`no test file matches ${filters.join(", ") || "*.test.ts"}`);
  process.exit(1);
}

const scratch = mkdtempSync(join(tmpdir(), "tallystick-test-"));
const countsFile = join(scratch, "counts.json");
const args = [
  ...SOURCE_RUN,
  "--enable-source-maps",
  "--test",
  `--test-concurrency=${process.env["TEST_CONCURRENCY"] ?? "2"}`,
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  "--test-reporter=./scripts/counts-reporter.mjs",
  `--test-reporter-destination=${countsFile}`,
  ...(grep === undefined ? [] : [`--test-name-pattern=${grep}`]),
  ...files,
];

const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
child.on("exit", (code, signal) => {
  let status = code ?? 1;
  if (signal !== null) console.error(`the test runner was ended by ${signal}`);
  if (status === 0 && process.env["CI"] === "true") status = verdictForCi();
  rmSync(scratch, { recursive: true, force: true });
  process.exitCode = status;
});

/** Refuses what node's runner lets pass. */
function verdictForCi() {
  const counts = /** @type {{ ran: number, skipped: string[] }} */ (JSON.parse(readFileSync(countsFile, "utf8")));
  for (const name of counts.skipped) console.error(`not run: ${name}`);
  if (counts.skipped.length > 0) {
    console.error(`${counts.skipped.length} test(s) skipped or todo; in CI everything must run`);
    return 1;
  }
  if (counts.ran === 0) {
    console.error("no test ran");
    return 1;
  }
  return 0;
}

/** @param {string[]} argv */
function parseArguments(argv) {
  /** @type {string[]} */
  const filters = [];
  /** @type {string | undefined} */
  let grep;
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? "";
    if (argument === "--grep") grep = argv[++i];
    else if (argument.startsWith("--grep=")) grep = argument.slice("--grep=".length);
    else if (argument.startsWith("-")) {
      console.error(`unknown option ${argument}; known: --grep PATTERN`);
      process.exit(2);
    } else filters.push(argument.replace(/^\.\//, ""));
  }
  return { filters, grep };
}
