// The contract of stores, and agreement with the replica, on a real Cluster.
import { after } from 'node:test';
import { agreesWithReplica, storeContract } from 'tallystick/testing';
import { connect } from '../support/redis-clients.ts';
import { startCluster } from '../support/redis-cluster.ts';
import { redisUnderTest } from '../support/redis-under-test.ts';

const cluster = await startCluster();
const { client, close } = await connect({ topology: 'cluster', ports: cluster.ports });
after(async () => {
  await close();
  await cluster.stop();
});

const subject = redisUnderTest('Redis store on a Cluster', client);
storeContract(subject);
agreesWithReplica(subject, { numRuns: 20 });
