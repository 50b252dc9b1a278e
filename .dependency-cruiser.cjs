// The arrows between folders, as rules. Every comment says why; test/architecture.test.ts plants one
// violation per rule and sees it reported, so that no rule can quietly stop biting.
const { join } = require("node:path");

const CORE = "^packages/core/src/";
const SERVER = "^packages/server/src/";
const TEST = "([.]test[.]ts$)|(^test/)|(^bench/)|(^examples/)|(^packages/core/src/testing/)";

/**
 * The layers of the core, from the bottom up. A layer imports itself and the layers before it.
 * A new top-level file of the core is named here, at its height.
 */
const CORE_LAYERS = [
  { name: "errors", pattern: "errors[.]ts$" },
  { name: "model", pattern: "model/" },
  { name: "operations", pattern: "operations/" },
  { name: "replica", pattern: "replica/" },
  { name: "store", pattern: "store[.]ts$" },
  { name: "lanes", pattern: "lanes/" },
  { name: "near", pattern: "near/" },
  { name: "counters", pattern: "(counters|lane-counters|declarations|sharded|limits[a-z-]*|tallystick)[.]ts$" },
  { name: "surface", pattern: "(decorators/|calendar/|adapters/|index[.]ts$)" },
];
const BELOW_STORES = 5; // a store may import the layers up to its port

/** The lowest `count` layers as one pattern. @param {number} count */
const lowest = (count) => `${CORE}(${CORE_LAYERS.slice(0, count).map((layer) => layer.pattern).join("|")})`;

const coreLayers = CORE_LAYERS.map(({ name, pattern }, height) => ({
  name: `core-${name}-looks-down`,
  comment: `Arrows go down only, so that ${name} can be read, tested and replaced without what stands above it.`,
  severity: "error",
  from: { path: `${CORE}${pattern}`, pathNot: TEST },
  to: {
    path: CORE,
    // The front door also hands out the memory store, which needs no driver; other stores have subpaths.
    pathNot: [lowest(height + 1), ...(name === "surface" ? [`${CORE}stores/memory/`] : [])],
  },
}));

/**
 * Only `home` may import the packages that match `driver`.
 * @param {string} name @param {string} driver @param {string} home
 */
const oneHome = (name, driver, home) => ({
  name: `${name}-has-one-home`,
  comment: "One driver, one folder: replacing or upgrading it touches nothing else.",
  severity: "error",
  from: { path: "^packages/", pathNot: [home, TEST] },
  to: { path: `node_modules/${driver}` },
});

/**
 * Inside the server, `folder` imports itself and the folders in `below`.
 * @param {string} folder @param {string[]} below @param {string} comment
 */
const serverFolder = (folder, below, comment) => ({
  name: `server-${folder}-looks-down`,
  comment,
  severity: "error",
  from: { path: `${SERVER}${folder}/`, pathNot: TEST },
  to: { path: SERVER, pathNot: `${SERVER}(${[folder, ...below].join("|")})/` },
});

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Files of a cycle can only be understood, loaded and tested together.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-orphans",
      comment: "A file that nothing uses and that uses nothing is dead. Entry points are none.",
      severity: "error",
      from: {
        orphan: true,
        pathNot: [
          "^packages/[^/]+/src/index[.]ts$",
          `${CORE}(stores/(sqlite|redis)|decorators|calendar|adapters/[^/]+|testing)/index[.]ts$`,
          `${SERVER}cli/main[.]ts$`,
          "^packages/server/bin/",
          "[.]test[.]ts$|^bench/|^examples/|^test/(prove|decorators-legacy)/",
        ],
      },
      to: {},
    },
    {
      name: "all-resolves",
      comment: "An import that resolves to nothing fails only at run time.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "packages-declared",
      comment: "A package that is used and not declared works by accident of hoisting, until it is installed alone.",
      severity: "error",
      from: { path: "^packages/", pathNot: TEST },
      // peerDependenciesMeta reads as "no-pkg" to the tool, hence the exception for peers.
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-peer"] },
    },
    {
      name: "no-dev-dependencies-at-run-time",
      comment: "devDependencies are not installed with the package. Types are gone by then, and peers are brought along.",
      severity: "error",
      from: { path: "^packages/", pathNot: TEST },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm-peer", "npm-optional", "type-only"] },
    },
    {
      name: "tests-are-not-imported",
      comment: "What is shipped must not need its tests.",
      severity: "error",
      from: { path: "^packages/", pathNot: TEST },
      to: { path: "([.]test[.]ts$)|(^test/)|(^bench/)|(^examples/)" },
    },
    {
      name: "testing-is-not-imported",
      comment: "tallystick/testing is for tests, ours and the users'; an application must not load it.",
      severity: "error",
      from: { path: "^packages/", pathNot: TEST },
      to: { path: `${CORE}testing/` },
    },

    // core
    {
      name: "core-files-have-a-layer",
      comment: "A file outside every layer would escape the rules below: name it in CORE_LAYERS.",
      severity: "error",
      from: {},
      to: { path: CORE, pathNot: [lowest(CORE_LAYERS.length), `${CORE}(stores|testing)/`, TEST] },
    },
    ...coreLayers,
    {
      name: "pure-core-imports-nothing",
      comment: "model, operations and replica are arithmetic: no package, no node:*, so they run and replay anywhere.",
      severity: "error",
      from: { path: `${CORE}(errors[.]ts$|model/|operations/|replica/)`, pathNot: TEST },
      to: { dependencyTypes: ["core", "npm", "npm-dev", "npm-peer", "npm-optional", "npm-bundled", "npm-no-pkg"] },
    },
    {
      name: "stores-implement-the-port",
      comment: "A store knows the port and what the port speaks of; it does not know who calls it.",
      severity: "error",
      from: { path: `${CORE}stores/`, pathNot: TEST },
      to: { path: CORE, pathNot: [lowest(BELOW_STORES), `${CORE}stores/`] },
    },
    {
      name: "stores-are-strangers",
      comment: "A store is added, replaced or removed as one folder.",
      severity: "error",
      from: { path: `${CORE}stores/([^/]+)/`, pathNot: TEST },
      to: { path: `${CORE}stores/`, pathNot: `${CORE}stores/$1/` },
    },
    {
      name: "adapters-are-strangers",
      comment: "An adapter is added, replaced or removed as one folder.",
      severity: "error",
      from: { path: `${CORE}adapters/([^/]+)/`, pathNot: TEST },
      to: { path: `${CORE}adapters/[^/]+/`, pathNot: `${CORE}adapters/$1/` },
    },
    {
      name: "core-stands-alone",
      comment: "An application that embeds the core installs neither the client nor the server.",
      severity: "error",
      from: { path: CORE, pathNot: TEST },
      to: { path: "^packages/(client|server)/" },
    },

    // client
    {
      name: "client-stands-alone",
      comment: "The client shares the core's front door (one table of errors, one set of names), nothing behind it and no server.",
      severity: "error",
      from: { path: "^packages/client/src/", pathNot: TEST },
      to: { path: "^packages/(core|server)/", pathNot: `${CORE}index[.]ts$` },
    },

    // server
    {
      name: "server-uses-the-public-core",
      comment: "The server is the first user of the public names; what it needs, others need too.",
      severity: "error",
      from: { path: SERVER, pathNot: TEST },
      to: { path: CORE, pathNot: `${CORE}(index|(stores/(sqlite|redis|journal)|decorators|calendar)/index)[.]ts$` },
    },
    {
      name: "server-wires-stores-in-the-root",
      comment: "Which store is used is composition; use cases and transports take any.",
      severity: "error",
      from: { path: SERVER, pathNot: [`${SERVER}(cli|config)/`, TEST] },
      to: { path: `${CORE}stores/` },
    },
    {
      name: "server-files-have-a-folder",
      comment: "A file outside these folders would escape the rules below.",
      severity: "error",
      from: {},
      to: { path: SERVER, pathNot: [`${SERVER}(app|http|grpc|pipeline|config|cli)/`, TEST] },
    },
    serverFolder("app", [], "A use case knows no transport, so every transport answers alike."),
    serverFolder("http", ["app"], "Transports are strangers to each other: wire to app and back, nothing else."),
    serverFolder("grpc", ["app"], "Transports are strangers to each other: wire to app and back, nothing else."),
    serverFolder("pipeline", [], "A stage knows the port to the next one, not which process it runs in."),
    serverFolder("config", ["app"], "Configuration is data for the composition root; it starts nothing."),
    {
      name: "server-cli-is-the-root",
      comment: "The composition root is on top; whoever imports it gets argv and exit with it.",
      severity: "error",
      from: { path: "^packages/", pathNot: [`${SERVER}cli/`, TEST] },
      to: { path: `${SERVER}cli/` },
    },

    // drivers
    oneHome("better-sqlite3", "better-sqlite3/", `${CORE}stores/sqlite/`),
    // The store is given its client, and who runs a node is not the one to make it.
    oneHome("redis", "(redis|@redis)/", [`${CORE}stores/redis/`, `${SERVER}cli/(redis|drill/servers/redis-command)[.]ts$`].join("|")),
    oneHome("mariadb", "mariadb/", `${SERVER}pipeline/ledger/mysql/`),
    oneHome("fastify", "(fastify|@fastify)/", [`${SERVER}http/`, `${CORE}adapters/fastify/`].join("|")),
    oneHome("express", "(@types/)?express/", `${CORE}adapters/express/`),
    oneHome("nestjs", "@nestjs/", `${CORE}adapters/nestjs/`),
    oneHome("grpc", "(@grpc|grpc-health-check)/", [`${SERVER}grpc/`, "^packages/client/src/"].join("|")),
    oneHome("kafka", "@platformatic/kafka/", `${SERVER}pipeline/kafka/`),
    oneHome("temporal", "temporal-polyfill/", `${CORE}calendar/`),
    oneHome("commander", "commander/", `${SERVER}cli/`),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)dist/" },
    // Types count as arrows too: a layer that knows a type knows its owner.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: join(__dirname, "tsconfig.test.json") },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["tallystick-source", "import", "types", "node", "default"],
      extensions: [".ts", ".js", ".mjs", ".cjs", ".d.ts"],
    },
  },
};
