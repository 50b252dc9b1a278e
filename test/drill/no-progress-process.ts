/** A worker whose sink does not look at the progress of sources. */
import { startFaulty, withoutProgress } from './faulty-stages.ts';

await startFaulty({ ledger: withoutProgress });
