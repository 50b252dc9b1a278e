/**
 * F10: from the start of the process to its first answer.
 *
 * Ours is `tallystick serve` as it is built, on an empty folder, SQLite under it: from spawning it to a 200
 * for a count. The rival is a bare Fastify process with the same route. Both say where they listen when they
 * do, and are asked then; a turn is one start.
 */
import type { Row, Side } from '../lib/row.ts';
import { startOurs, startRival, type Server } from '../lib/server.ts';

const side = (start: () => Promise<Server>): Side => ({
  turn: async () => {
    const beganMs = performance.now();
    const server = await start();
    const { ok } = await fetch(`http://${server.http}/api/counter/count/a`);
    const tookMs = performance.now() - beganMs;
    const cpuUs = server.cpuUs();
    await server.stop();
    if (!ok) throw new Error('the first request was not answered with 200');
    return { figure: tookMs, cpuUsPerOperation: cpuUs };
  },
});

export const row: Row = {
  id: 'F10',
  contests: [
    {
      id: 'F10',
      what: 'start to first answer',
      rival: 'a bare Fastify process',
      unit: 'ms',
      bound: 'at most',
      floor: 2.5,
      ours: () => side(startOurs),
      theirs: () => side(() => startRival('fastify')),
    },
  ],
};
