/**
 * F9: gRPC `BatchAddFreq` of 100 items, one connection of 100 streams, in items per second.
 *
 * The sides are those of F8: each of our items is counted on disk before its call is answered, the rival's
 * are echoed. CPU is per item.
 */
import type { Row } from '../lib/row.ts';
import { BATCHED, freqContest } from './freq-load.ts';

export const row: Row = {
  id: 'F9',
  contests: [freqContest(BATCHED, { id: 'F9', what: 'gRPC BatchAddFreq of 100', floor: 0.5, unit: 'items/s' })],
};
