/**
 * F6: `GET /api/counter/count/:resourceId`.
 *
 * Ours is `tallystick serve` as it is built, SQLite under it. The rival is a bare Fastify server with the
 * same route, answering JSON of the same shape from nothing. Each is one process; the client has the other
 * core. The resources were liked before, so that there is something to read.
 */
import { httpTurn } from '../lib/http-load.ts';
import type { Row, Side } from '../lib/row.ts';
import { startOurs, startRival, type Server } from '../lib/server.ts';
import { COUNTS, LIKES } from './like-load.ts';

const REQUESTS = 40_000;

const side = (server: Server): Side => ({
  turn: () => httpTurn(server, { amount: REQUESTS, requests: COUNTS }),
  close: () => server.stop(),
});

async function ours(): Promise<Side> {
  const server = await startOurs(['--guard', 'off']);
  await httpTurn(server, { amount: 10 * LIKES.length, requests: LIKES });
  return side(server);
}

export const row: Row = {
  id: 'F6',
  contests: [
    {
      id: 'F6',
      what: 'HTTP GET count, one process',
      rival: 'bare Fastify, the same route',
      unit: 'ops/s',
      bound: 'at least',
      floor: 0.8,
      ours,
      theirs: async () => side(await startRival('fastify')),
    },
  ],
};
