#!/usr/bin/env node
// The command line of a node. No command is built in yet.
process.stderr.write("tallystick: no command is built in yet\n");
process.exitCode = 1;
