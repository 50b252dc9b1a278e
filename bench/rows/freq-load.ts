/** What F8 and F9 ask for: `AddFreq` of a thousand keys, counted over a minute, alone or a hundred at once. */
import { frequencyService, type AddFreqReq } from '@tallystick/client/wire';
import type { GrpcLoad } from '../lib/grpc-load.ts';
import { grpcTurn } from '../lib/grpc-load.ts';
import type { Contest, Side } from '../lib/row.ts';
import { startOurs, startRival, type Server } from '../lib/server.ts';

const KEYS = 1000;
const BATCH = 100;

const requestOf = (i: number): AddFreqReq => ({ business_id: 7, key: `user:${100_000 + (i % KEYS)}`, time_span: 60, time_unit: 0 });
const { AddFreq, BatchAddFreq } = frequencyService;

export const SINGLE: GrpcLoad = {
  path: AddFreq.path,
  calls: 20_000,
  items: 1,
  messages: Array.from({ length: KEYS }, (_, i) => AddFreq.requestSerialize(requestOf(i))),
};

export const BATCHED: GrpcLoad = {
  path: BatchAddFreq.path,
  calls: 4000,
  items: BATCH,
  messages: Array.from({ length: KEYS }, (_, i) =>
    BatchAddFreq.requestSerialize({ requests: Array.from({ length: BATCH }, (_item, j) => requestOf(i * BATCH + j)) }),
  ),
};

const side = (server: Server, load: GrpcLoad): Side => ({ turn: () => grpcTurn(server, load), close: () => server.stop() });

/** The contest of a load. */
export function freqContest(load: GrpcLoad, facts: Pick<Contest, 'id' | 'what' | 'floor' | 'unit'>): Contest {
  return {
    ...facts,
    rival: 'grpc-js echo of the same messages',
    bound: 'at least',
    ours: async () => side(await startOurs(), load),
    theirs: async () => side(await startRival('grpc-echo'), load),
  };
}
