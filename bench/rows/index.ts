/** The rows there are. Each is loaded when it is run, with the rivals it needs. */
import type { Row } from '../lib/row.ts';

export const rows: Readonly<Record<string, () => Promise<Row>>> = {
  F1: async () => (await import('./f1.ts')).row,
  F2: async () => (await import('./f2.ts')).row,
  F3: async () => (await import('./f3.ts')).row,
  F4: async () => (await import('./f4.ts')).row,
  F5: async () => (await import('./f5.ts')).row,
  F6: async () => (await import('./f6.ts')).row,
  F7: async () => (await import('./f7.ts')).row,
  F8: async () => (await import('./f8.ts')).row,
  F9: async () => (await import('./f9.ts')).row,
  F10: async () => (await import('./f10.ts')).row,
  R1: async () => (await import('./r1.ts')).row,
  R2: async () => (await import('./r2.ts')).row,
  R3: async () => (await import('./r3.ts')).row,
  R4: async () => (await import('./r4.ts')).row,
  R5: async () => (await import('./r5.ts')).row,
  R6: async () => (await import('./r6.ts')).row,
  R7: async () => (await import('./r7.ts')).row,
  R8: async () => (await import('./r8.ts')).row,
<<<<<<< HEAD
  R10: async () => (await import('./r10.ts')).row,
=======
  L1: async () => (await import('./l1.ts')).row,
  L2: async () => (await import('./l2.ts')).row,
  L3: async () => (await import('./l3.ts')).row,
  L4: async () => (await import('./l4.ts')).row,
  L5: async () => (await import('./l5.ts')).row,
  L6: async () => (await import('./l6.ts')).row,
>>>>>>> 252d016 (Measure limits against rate-limiter-flexible: rows L1 to L6)
};
