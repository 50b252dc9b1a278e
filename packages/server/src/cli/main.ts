#!/usr/bin/env node
// The command line of a node: the only place that sees arguments, environment and exit.
import { run } from './program.ts';

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
