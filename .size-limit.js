// What an application ships when it imports the core with the memory store: minified, brotli.
export default [
  {
    name: "tallystick",
    path: "packages/core/dist/index.js",
    limit: "28 kB",
    modifyEsbuildConfig: (/** @type {object} */ config) => ({ ...config, platform: "node", format: "esm" }),
  },
];
