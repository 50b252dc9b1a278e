import { agreesWithReplica, storeContract, type StoreUnderTest } from '../../testing/index.ts';
import { memoryStore } from './memory-store.ts';

const subject: StoreUnderTest = { name: 'memory store', open: (options) => memoryStore(options) };

storeContract(subject);
agreesWithReplica(subject, { numRuns: 300 });
