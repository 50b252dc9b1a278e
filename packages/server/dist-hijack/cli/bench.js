/**
 * `tallystick bench`: what counting costs here. Awaited adds of 1,024 callers on the memory store, against
 * the least an awaited count can cost: an async function that adds to a `Map`. Rounds are interleaved and
 * the median is reported, so that whatever else the machine does falls on both.
 */
import { createTallystick, memoryStore } from 'tallystick';
import { integerOf } from "./node-client.js";
import { EXIT } from "./terminal.js";
const CALLERS = 1024;
const ROUNDS = 5;
const UNIFORM_KEYS = 10_000;
/** Runs the comparison and prints a line for each pattern of keys. */
export async function bench(options, { out }) {
    const roundMs = integerOf('round-ms', options['roundMs'] ?? '200');
    const keys = Array.from({ length: UNIFORM_KEYS }, (_, i) => `bench:key:${i}`);
    for (const [name, used] of Object.entries({ 'hot key': keys.slice(0, 1), [`${UNIFORM_KEYS} keys`]: keys })) {
        const row = await compare(name, used, roundMs);
        out(options['json'] === undefined ? inWords(row) : JSON.stringify(row));
    }
    return EXIT.ok;
}
function inWords({ name, opsPerSecond, baselineOpsPerSecond, ratio }) {
    const thousands = (figure) => `${Math.round(figure / 1000)} k/s`;
    return `${name}: tallystick ${thousands(opsPerSecond)}, awaited Map ${thousands(baselineOpsPerSecond)}, ratio ${ratio.toFixed(2)}`;
}
async function compare(name, keys, roundMs) {
    const tallystick = createTallystick({ store: memoryStore() });
    const map = new Map();
    const subjects = [(key) => tallystick.counters.add(key), async (key) => map.set(key, (map.get(key) ?? 0) + 1)];
    const rates = subjects.map(() => []);
    for (const add of subjects)
        await rate(add, keys, roundMs); // warms up
    for (let round = 0; round < ROUNDS; round++) {
        for (const [i, add] of subjects.entries())
            rates[i]?.push(await rate(add, keys, roundMs));
    }
    await tallystick.close();
    const [opsPerSecond = NaN, baselineOpsPerSecond = NaN] = rates.map(median);
    return { name, opsPerSecond, baselineOpsPerSecond, ratio: opsPerSecond / baselineOpsPerSecond };
}
/** Adds a second, over `roundMs`. */
async function rate(add, keys, roundMs) {
    const beganMs = performance.now();
    let adds = 0;
    do {
        const calls = Array.from({ length: CALLERS }, () => add(keys[adds++ % keys.length]));
        await Promise.all(calls);
    } while (performance.now() - beganMs < roundMs);
    return (adds * 1000) / (performance.now() - beganMs);
}
const median = (figures) => [...figures].sort((a, b) => a - b)[figures.length >> 1] ?? NaN;
//# sourceMappingURL=bench.js.map