import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { sharedSqliteWorker } from '../../../../../test/support/shared-sqlite-worker.ts';
import type { Store } from '../../store.ts';
import { agreesWithReplica, storeContract, type OpenOptions, type StoreUnderTest } from '../../testing/index.ts';
import { openSqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'tallystick-contract-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const startWorker = sharedSqliteWorker();
const paths = new Map<Store, string>();

async function openAt(path: string, options: OpenOptions): Promise<Store> {
  const store = await openSqliteStore({ ...options, path }, { startWorker });
  paths.set(store, path);
  return store;
}

const subject: StoreUnderTest = {
  name: 'SQLite store',
  open: (options) => openAt(join(folder, `${paths.size}.db`), options),
  reopen: (closed, options) => openAt(paths.get(closed)!, options),
};

storeContract(subject);
agreesWithReplica(subject, { numRuns: 40 });
