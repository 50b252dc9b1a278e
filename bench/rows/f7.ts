/**
 * F7: `POST /api/counter/like` with a JSON body.
 *
 * Ours is `tallystick serve` as it is built: each like is in SQLite and synced to disk before it is
 * answered. The rival is a bare Fastify server that parses the same body and answers JSON of the same shape
 * without keeping anything. Each is one process; the client has the other core. At the end the likes our
 * server counts must be the requests that were answered.
 */
import { httpTurn } from '../lib/http-load.ts';
import type { Row, Side } from '../lib/row.ts';
import { startOurs, startRival } from '../lib/server.ts';
import { balanceLikes, LIKES } from './like-load.ts';

const LOAD = { amount: 30_000, requests: LIKES };

async function ours(): Promise<Side> {
  const server = await startOurs(['--guard', 'off']);
  let likes = 0;
  return {
    turn: () => {
      likes += LOAD.amount;
      return httpTurn(server, LOAD);
    },
    close: async () => {
      await balanceLikes(server, likes);
      await server.stop();
    },
  };
}

async function theirs(): Promise<Side> {
  const server = await startRival('fastify');
  return { turn: () => httpTurn(server, LOAD), close: () => server.stop() };
}

export const row: Row = {
  id: 'F7',
  contests: [
    {
      id: 'F7',
      what: 'HTTP POST like, JSON body, one process',
      rival: 'bare Fastify, the same route',
      unit: 'ops/s',
      bound: 'at least',
      floor: 0.7,
      ours,
      theirs,
    },
  ],
};
