/** Memory as a figure: each turn fills a fresh process, so that nothing of an earlier turn is counted. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Side } from './row.ts';

const HEAP_PROCESS = fileURLToPath(new URL('heap-process.ts', import.meta.url));

/** A side whose figure is what `fillers[name]` of the module `file` holds, in bytes for each of `counters`. */
export function heapSide(file: string, name: string, counters: number): Side {
  return {
    turn: async () => {
      const child = fork(HEAP_PROCESS, [file, name], { execArgv: ['--expose-gc', '--import', 'tsx'] });
      const [{ grownBytes }] = (await once(child, 'message')) as [{ grownBytes: number }];
      return { figure: grownBytes / counters };
    },
  };
}
