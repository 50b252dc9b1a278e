/** `npm run prove -- relay [STRIKES]`: relays and Kafka killed and frozen at random under load; the account must balance. */
import { runRelayFaults, type Strike } from '../pipeline/faults.ts';

const KINDS: readonly Strike[] = ['kill a relay', 'freeze a relay', 'kill a relay', 'kill Kafka'];
const STRIKES = 40;
const BETWEEN_MS = 1500;

const count = process.argv[2] === undefined ? STRIKES : Number(process.argv[2]);
if (!(Number.isSafeInteger(count) && count > 0)) {
  console.error('usage: npm run prove -- relay [STRIKES]: expected a whole number from 1 on');
  process.exit(2);
}
const strikes = Array.from({ length: count }, () => KINDS[Math.floor(Math.random() * KINDS.length)]!);
console.log(`${count} strikes, two relays, one Kafka`);
const { expected, found, gaps, duplicates, left } = await runRelayFaults(strikes, BETWEEN_MS);
const wrong = [...expected].filter(([key, value]) => found.get(key) !== value);
const added = [...expected.values()].reduce((a, b) => a + b, 0);
console.log(`added ${added}, ${duplicates} records came twice, ${gaps.length} gaps, ${left} left, ${wrong.length} of ${expected.size} totals wrong`);
process.exitCode = wrong.length + gaps.length + left === 0 && found.size === expected.size ? 0 : 1;
