/** Runs one contest in this process and sends what came of it to the parent: `contest-process.ts F1 F1a`. */
import { rows } from '../rows/index.ts';
import { measure } from './measure.ts';

// Taken down, or left alone by its parent, it takes its servers with it: they go when this process exits.
process.once('SIGTERM', () => process.exit(1));
process.once('disconnect', () => process.exit());

const [rowId = '', contestId = ''] = process.argv.slice(2);
const row = await rows[rowId]?.();
const contest = row?.contests.find(({ id }) => id === contestId);
if (contest === undefined) throw new Error(`no contest ${contestId} in row ${rowId}`);
process.send?.(await measure(contest));
process.disconnect();
