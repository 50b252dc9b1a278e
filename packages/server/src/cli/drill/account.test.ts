import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountOf, differenceIn, tableOf } from './account.ts';
import { SUBJECTS } from './subjects.ts';

const sums = SUBJECTS.map(() => ({ attempted: 10, acknowledged: 7, refused: 1 }));
const values = (value: number): number[] => SUBJECTS.map(() => value);
const difference = (redis: number, ledger?: number): number => differenceIn(accountOf(sums, { redis: values(redis), ledger: ledger === undefined ? undefined : values(ledger) }));

it('balances from what was acknowledged up to what is in doubt, and not beyond', () => {
  assert.deepEqual([7, 8, 9].map((redis) => difference(redis)), [0, 0, 0]);
  assert.equal(difference(6), SUBJECTS.length);
  assert.equal(difference(11), 2 * SUBJECTS.length);
});

it('holds the ledger to what Redis has, but for what it does not carry', () => {
  assert.equal(difference(8, 8), 0);
  const carried = SUBJECTS.filter(({ isInLedger }) => isInLedger).length;
  assert.ok(carried < SUBJECTS.length);
  assert.equal(difference(8, 9), carried);
  assert.equal(difference(8, 7), carried);
});

it('does not let one key make up for another of its class', () => {
  const redis = values(8).map((value, row) => value + (row === 0 ? 5 : row === 1 ? -5 : 0));
  assert.equal(differenceIn(accountOf(sums, { redis, ledger: undefined })), 4 + 4);
});

it('is a line for each class, with a dash where the ledger has nothing to say', () => {
  const lines = tableOf(accountOf(sums, { redis: values(8), ledger: values(8) }));
  assert.equal(lines.length, 1 + new Set(SUBJECTS.map(({ keyClass }) => keyClass)).size);
  assert.match(lines[1] ?? '', /^ {2}plain +60 +42 +12 +48 +48 +0$/);
  assert.match(lines.at(-1) ?? '', /sliding-window +10 +7 +2 +8 +– +0$/);
});
