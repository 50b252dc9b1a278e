// One flat config. A rule is here because it finds faults or keeps a promise of the design;
// layout is left to .editorconfig and the reader's eye.
import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

const TESTS = ["**/*.test.ts", "test/**/*.ts", "examples/**/*.ts", "packages/core/src/testing/**/*.ts"];

/** Time, randomness and I/O come into these folders as arguments. */
const PURE = ["model", "operations", "replica"].map((layer) => `packages/core/src/${layer}/**/*.ts`);

/** @param {string[]} names @param {string} message */
const banned = (names, message) => names.map((name) => ({ name, message }));

const CLOCKS = { object: "Date", property: "now", message: "take nowMs as an argument" };
const RANDOM = { object: "Math", property: "random", message: "take randomness as an argument" };

/** Only the composition root sees them; everything else is told. */
const SURROUNDINGS = ["env", "argv", "exit", "exitCode"].map((property) => ({
  object: "process",
  property,
  message: "only packages/server/src/cli and config see the process's surroundings; pass a value in",
}));

export default defineConfig(
  { ignores: ["**/dist/", "coverage/", ".typedoc/"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ["tsconfig.test.json", "test/decorators-legacy/tsconfig.json", "examples/nestjs/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "off", // tsc knows better, for the .mjs files too (checkJs)
      eqeqeq: "error",
      "max-params": "off",
      "@typescript-eslint/max-params": ["error", { max: 4 }],
      "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // A method of an async port is async even when one implementation has nothing to wait for.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", package: "node:test", name: ["describe", "it", "suite", "test"] },
          ],
        },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["packages/*/src/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
      "no-restricted-properties": ["error", ...SURROUNDINGS],
    },
  },
  {
    files: ["packages/server/src/{cli,config}/**/*.ts"],
    rules: { "no-console": "off", "no-restricted-properties": "off" },
  },
  {
    files: PURE,
    rules: {
      "no-restricted-properties": ["error", CLOCKS, RANDOM],
      "no-restricted-globals": [
        "error",
        ...banned(["process", "performance", "crypto", "fetch"], "pure code: take it as an argument"),
        ...banned(
          ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"],
          "pure code does not wait: the caller does",
        ),
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "take nowMs as an argument" },
        { selector: ":function[async=true]", message: "pure code is synchronous" },
      ],
    },
  },
  {
    // The hot path: an index that is known to be in range is not checked twice.
    files: ["packages/core/src/lanes/**/*.ts", "packages/core/src/stores/**/*.ts"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
  {
    files: TESTS,
    rules: {
      "max-lines": "off",
      "max-lines-per-function": "off",
      "no-console": "off",
      "no-restricted-properties": "off",
      "no-restricted-globals": "off",
      "no-restricted-syntax": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-empty-function": "off",
    },
  },
  {
    // A JSDoc cast is not in the tree that the rule sees.
    files: ["scripts/**/*.mjs"],
    rules: { "@typescript-eslint/no-unsafe-assignment": "off" },
  },
  {
    // Configuration of tools that have no types of their own to check against.
    files: ["**/*.cjs", "*.config.js", ".size-limit.js"],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
);
