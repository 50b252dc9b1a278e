/** Folders for data, on the file system under test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, and how to remove it. */
export function scratchFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'tallystick-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
