/** A worker that commits offsets, or removes records from the outbox, before they are in the ledger. */
import { acknowledgedFirst, startFaulty } from './faulty-stages.ts';

await startFaulty({ beforeSink: acknowledgedFirst });
