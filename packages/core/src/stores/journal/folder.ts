/** The journal's folder: one folder a run, in it segments by rising number. */
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFrames } from './frames.ts';
import { fromText, type JournalRecord } from './record.ts';

const SEGMENT = /^\d{8}\.log$/;

/** The file of the segment `number` of a run. */
export const segmentPath = (run: string, number: number): string => join(run, `${String(number).padStart(8, '0')}.log`);

/** A name no other run has; sorts by time. */
export const runName = (nowMs: number): string => `${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}-${crypto.randomUUID().slice(0, 8)}`;

/** The folders of all runs, oldest first; none when there is no journal. */
export async function runsOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(orNothing);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name)).sort();
}

/** The segments of a run, oldest first. */
export async function segmentsOf(run: string): Promise<string[]> {
  const names = await readdir(run).catch(orNothing);
  return names.filter((name) => SEGMENT.test(name)).sort().map((name) => join(run, name));
}

function orNothing(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** What a segment holds, and how many bytes at its end were cut off. @throws TallystickError `DATA_CORRUPT` */
export async function readSegment(path: string): Promise<{ readonly records: readonly JournalRecord[]; readonly tornBytes: number }> {
  const { texts, tornBytes } = readFrames(await readFile(path), path);
  return { records: texts.map((text) => fromText(text, path)), tornBytes };
}

/** Puts the names in a folder on disk: a file that was synced is not there before its name is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.datasync().finally(() => folder.close());
}
