// The arrows between folders hold, and each rule that guards them still bites: every rule has a planted
// violation in a scratch tree, and a rule without one fails this test.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const config = join(root, ".dependency-cruiser.cjs");
const rules = (createRequire(import.meta.url)(config) as { forbidden: { name: string }[] }).forbidden;

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

/** rule → a file that breaks it and the import that does so. */
const PLANTED: Record<string, readonly [file: string, specifier: string]> = {
  "no-cycles": ["packages/core/src/model/about.ts", "./round.ts"],
  "no-orphans": ["packages/core/src/model/alone.ts", ""],
  "all-resolves": ["packages/core/src/lanes/lost.ts", "./nowhere.ts"],
  "packages-declared": ["packages/server/src/app/undeclared.ts", "stray"],
  "no-dev-dependencies-at-run-time": ["packages/server/src/app/dev.ts", "dev-only"],
  "tests-are-not-imported": ["packages/core/src/lanes/uses-test.ts", "../lanes/lane.test.ts"],
  "testing-is-not-imported": ["packages/core/src/lanes/uses-testing.ts", "../testing/index.ts"],
  "core-files-have-a-layer": ["packages/core/src/index.ts", "./unplaced.ts"],
  "core-errors-looks-down": ["packages/core/src/errors.ts", "./model/about.ts"],
  "core-model-looks-down": ["packages/core/src/model/up.ts", "../operations/op.ts"],
  "core-operations-looks-down": ["packages/core/src/operations/up.ts", "../replica/cell.ts"],
  "core-replica-looks-down": ["packages/core/src/replica/up.ts", "../store.ts"],
  "core-store-looks-down": ["packages/core/src/store.ts", "./lanes/lane.ts"],
  "core-lanes-looks-down": ["packages/core/src/lanes/up.ts", "../stores/memory/index.ts"],
  "core-near-looks-down": ["packages/core/src/near/up.ts", "../counters.ts"],
  "core-counters-looks-down": ["packages/core/src/counters.ts", "./index.ts"],
  "core-surface-looks-down": ["packages/core/src/decorators/index.ts", "../stores/sqlite/index.ts"],
  "pure-core-imports-nothing": ["packages/core/src/operations/impure.ts", "node:fs"],
  "stores-implement-the-port": ["packages/core/src/stores/memory/up.ts", "../../lanes/lane.ts"],
  "stores-are-strangers": ["packages/core/src/stores/memory/index.ts", "../sqlite/index.ts"],
  "adapters-are-strangers": ["packages/core/src/adapters/fastify/across.ts", "../express/index.ts"],
  "core-stands-alone": ["packages/core/src/lanes/outside.ts", "../../../client/src/index.ts"],
  "client-stands-alone": ["packages/client/src/index.ts", "../../core/src/store.ts"],
  "server-uses-the-public-core": ["packages/server/src/app/inside.ts", "../../../core/src/lanes/lane.ts"],
  "server-wires-stores-in-the-root": ["packages/server/src/app/store.ts", "../../../core/src/stores/sqlite/index.ts"],
  "server-files-have-a-folder": ["packages/server/src/cli/loose.ts", "../loose.ts"],
  "server-app-looks-down": ["packages/server/src/app/up.ts", "../http/routes.ts"],
  "server-http-looks-down": ["packages/server/src/http/across.ts", "../grpc/service.ts"],
  "server-grpc-looks-down": ["packages/server/src/grpc/across.ts", "../http/routes.ts"],
  "server-config-looks-down": ["packages/server/src/config/up.ts", "../grpc/service.ts"],
  "server-pipeline-looks-down": ["packages/server/src/pipeline/up.ts", "../http/routes.ts"],
  "server-cli-is-the-root": ["packages/server/src/app/root.ts", "../cli/main.ts"],
  "better-sqlite3-has-one-home": ["packages/core/src/lanes/driver.ts", "better-sqlite3"],
  "redis-has-one-home": ["packages/core/src/lanes/other-driver.ts", "redis"],
  "kafka-has-one-home": ["packages/server/src/pipeline/stream.ts", "@platformatic/kafka"],
  "mariadb-has-one-home": ["packages/server/src/app/sql.ts", "mariadb"],
  "temporal-has-one-home": ["packages/server/src/app/days.ts", "temporal-polyfill"],
  "fastify-has-one-home": ["packages/server/src/app/web.ts", "fastify"],
  "express-has-one-home": ["packages/core/src/lanes/web.ts", "express"],
  "nestjs-has-one-home": ["packages/core/src/lanes/nest.ts", "@nestjs/common"],
  "grpc-has-one-home": ["packages/server/src/app/wire.ts", "@grpc/grpc-js"],
  "commander-has-one-home": ["packages/server/src/app/command.ts", "commander"],
};

/** What the planted files import. */
const AROUND: Record<string, string> = {
  "packages/core/src/model/round.ts": 'import "./about.ts";',
  "packages/core/src/operations/op.ts": "",
  "packages/core/src/replica/cell.ts": "",
  "packages/core/src/lanes/lane.ts": "",
  "packages/core/src/lanes/lane.test.ts": "",
  "packages/core/src/testing/index.ts": "",
  "packages/core/src/unplaced.ts": "",
  "packages/core/src/stores/sqlite/index.ts": "",
  "packages/core/src/adapters/express/index.ts": "",
  "packages/server/src/loose.ts": "",
  "packages/server/src/http/routes.ts": "",
  "packages/server/src/grpc/service.ts": "",
  "packages/server/src/cli/main.ts": "",
  "packages/core/package.json": '{ "name": "tallystick", "peerDependencies": { "better-sqlite3": "1", "redis": "1" } }',
  "packages/server/package.json":
    '{ "name": "@tallystick/server", "dependencies": { "fastify": "1", "mariadb": "1", "@platformatic/kafka": "1", "@grpc/grpc-js": "1", "commander": "1", "temporal-polyfill": "1" },' +
    ' "devDependencies": { "dev-only": "1" } }',
};

describe("architecture", () => {
  let scratch = "";
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), "tallystick-arrows-"));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it("holds for this repository", async () => {
    const folders = ["packages", "test", "bench", "examples"].filter((folder) => existsSync(join(root, folder)));
    const found = await cruise(root, folders);
    assert.deepEqual(found.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`), []);
  });

  it("has a planted violation for every rule", () => {
    assert.deepEqual(Object.keys(PLANTED).sort(), rules.map((rule) => rule.name).sort());
  });

  it("reports every planted violation", async () => {
    const planted = Object.values(PLANTED).map(([file, specifier]) => [file, specifier && `import "${specifier}";`] as const);
    for (const [file, text] of [...Object.entries(AROUND), ...planted]) await plant(join(scratch, file), text);
    for (const name of ["stray", "dev-only", "better-sqlite3", "redis", "fastify", "express", "@nestjs/common", "@grpc/grpc-js", "commander", "temporal-polyfill", "mariadb", "@platformatic/kafka"]) {
      await plant(join(scratch, "node_modules", name, "package.json"), `{ "name": "${name}", "main": "index.js" }`);
      await plant(join(scratch, "node_modules", name, "index.js"), "");
    }
    const found = await cruise(scratch, ["packages"]);
    const reported = new Set(found.map(({ rule, from }) => `${rule.name}: ${from}`));
    const expected = Object.entries(PLANTED).map(([rule, [file]]) => `${rule}: ${file}`);
    assert.deepEqual(expected.filter((line) => !reported.has(line)), []);
  });
});

async function plant(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The violations that dependency-cruiser finds in `folders` of `cwd` under this repository's rules. */
async function cruise(cwd: string, folders: string[]): Promise<Violation[]> {
  const bin = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
  const args = [bin, "--config", config, "--output-type", "json", ...folders];
  const text = await new Promise<string>((resolve, reject) => {
    // It exits with the number of violations; only unreadable output is a failure of the run itself.
    execFile(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout === "") reject(new Error(stderr, { cause: error }));
      else resolve(stdout);
    });
  });
  return (JSON.parse(text) as { summary: { violations: Violation[] } }).summary.violations;
}
