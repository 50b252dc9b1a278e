/**
 * Fills something with counters and sends the parent how many bytes it grew by: `heap-process.ts FILE NAME`,
 * where FILE exports `fillers` and NAME is one of them.
 */
export type Filler = () => Promise<unknown>;

const [file = '', name = ''] = process.argv.slice(2);
const { fillers } = (await import(file)) as { fillers: Readonly<Record<string, Filler>> };
const fill = fillers[name];
if (fill === undefined) throw new Error(`no filler ${name}`);
const before = usedBytes();
const filled = await fill();
const grownBytes = usedBytes() - before;
process.send?.({ grownBytes, filled: typeof filled }, () => process.exit());

/** What is reachable, on V8's heap and beside it (typed arrays). */
function usedBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
