/** The rows there are. Each is loaded when it is run, with the rivals it needs. */
import type { Row } from '../lib/row.ts';

export const rows: Readonly<Record<string, () => Promise<Row>>> = {
  F1: async () => (await import('./f1.ts')).row,
  F2: async () => (await import('./f2.ts')).row,
  F3: async () => (await import('./f3.ts')).row,
};
