// Short form of `npm run prove -- relay`: the log in Kafka says what Redis holds, whatever was killed on the way.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runRelayFaults } from './faults.ts';

it('every record reaches Kafka, in order, though a relay and Kafka are killed and a relay is a zombie (Q01, Q03, N12)', async (t) => {
  const { expected, found, gaps, duplicates, left } = await runRelayFaults(['kill a relay', 'freeze a relay', 'kill Kafka'], 1000);
  t.diagnostic(`${duplicates} duplicates`);
  assert.deepEqual({ gaps, left }, { gaps: [], left: 0 });
  assert.deepEqual(found, expected);
});
