// The contract of stores, and agreement with the replica, over real Sentinels.
import { after } from 'node:test';
import { agreesWithReplica, storeContract } from 'tallystick/testing';
import { connect } from '../support/redis-clients.ts';
import { startSentinels } from '../support/redis-sentinels.ts';
import { redisUnderTest } from '../support/redis-under-test.ts';

const sentinels = await startSentinels();
const { client, close } = await connect({ topology: 'sentinel', ports: sentinels.ports });
after(async () => {
  await close();
  await sentinels.stop();
});

const subject = redisUnderTest('Redis store over Sentinels', client);
storeContract(subject);
agreesWithReplica(subject, { numRuns: 20 });
