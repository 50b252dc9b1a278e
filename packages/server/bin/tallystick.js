#!/usr/bin/env node
// A file that is there before the build, so that the command is linked by the install.
await import(new URL('../dist/cli/main.js', import.meta.url).href);
