/** A worker whose relay removes records from the outbox before it has delivered them. */
import { startFaulty, trimmedEarly } from './faulty-stages.ts';

await startFaulty({ beforeOutbox: trimmedEarly });
