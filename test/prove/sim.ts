/**
 * `npm run prove -- sim [seeds] [first]`: runs the simulator of test/sim for so many seeds (default a
 * million) from `first` (default 1), until one fails. A single seed is told as a story.
 */
import { runSeed } from '../sim/run.ts';

const TELL_EVERY = 1_000;

const [seeds = 1_000_000, first = 1] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(seeds) || !Number.isSafeInteger(first) || seeds < 1) {
  console.error('usage: npm run prove -- sim [seeds] [first], both whole numbers');
  process.exit(2);
}

const beganMs = performance.now();
let events = 0;
for (let seed = first; seed < first + seeds; seed++) {
  try {
    events += (await runSeed(seed, seeds === 1 ? { narrate: console.log } : {})).events;
  } catch (error) {
    console.error(error);
    console.error(`seed ${seed} fails; replay it with: npm run prove -- sim 1 ${seed}`);
    process.exit(1);
  }
  const done = seed - first + 1;
  if (done % TELL_EVERY === 0 || done === seeds) {
    const seconds = (performance.now() - beganMs) / 1000;
    console.log(`${done} seeds held, ${events} events, ${Math.round(done / seconds)} seeds/s`);
  }
}
