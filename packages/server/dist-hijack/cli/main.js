#!/usr/bin/env node
// The command line of a node: the only place that sees arguments, environment and exit.
import { run } from "./program.js";
// A reader that has seen enough, as `| head -1`, is no fault.
process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE')
        throw error;
});
process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
});
//# sourceMappingURL=main.js.map