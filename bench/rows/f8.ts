/**
 * F8: gRPC `AddFreq`, unary, one connection of 100 streams.
 *
 * Ours is `tallystick serve` as it is built: each call is counted in SQLite and synced to disk before it is
 * answered. The rival is grpc-js with the same codec, answering the same messages without keeping anything.
 * One client drives both (see `lib/grpc-load.ts`) from the other core.
 */
import type { Row } from '../lib/row.ts';
import { freqContest, SINGLE } from './freq-load.ts';

export const row: Row = {
  id: 'F8',
  contests: [freqContest(SINGLE, { id: 'F8', what: 'gRPC AddFreq unary, 1 connection × 100 streams', floor: 0.75, unit: 'ops/s' })],
};
