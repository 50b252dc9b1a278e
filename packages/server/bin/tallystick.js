#!/usr/bin/env node
// A file that is there before the build, so that the command is linked by the install.
import '../dist/cli/main.js';
