/** `tallystick serve` as a real process: how it starts, refuses to start, and stops. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@tallystick/client';
import { errorTable } from 'tallystick';
import { refusedStart, startServer, type RunningServer } from '../../../../test/support/server.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallystick-serve-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const CLOSED_STATUS = errorTable.CLOSED.http;

type Outcome = 'acknowledged' | 'refused' | 'in doubt';

async function add(server: RunningServer, key: string): Promise<Outcome> {
  try {
    const { status } = await fetch(`http://${server.http}/v1/counters/${key}`, { method: 'POST' });
    if (status === 200) return 'acknowledged';
    return status === CLOSED_STATUS ? 'refused' : 'in doubt';
  } catch (error) {
    // Nobody listened any more: the call was not taken. Anything else may have been.
    return ((error as Error).cause as { code?: string } | undefined)?.code === 'ECONNREFUSED' ? 'refused' : 'in doubt';
  }
}

async function valueOf(server: RunningServer, key: string): Promise<number> {
  const response = await fetch(`http://${server.http}/v1/counters/${key}`);
  return ((await response.json()) as { value: number }).value;
}

const many = (server: RunningServer, key: string, adds: number): Promise<Outcome[]> => Promise.all(Array.from({ length: adds }, () => add(server, key)));
const countOf = (outcomes: readonly Outcome[], wanted: Outcome): number => outcomes.filter((outcome) => outcome === wanted).length;

describe('tallystick serve', () => {
  it('keeps what was counted when told to stop, acknowledged or running', async () => {
    const data = join(folder, 'drain');
    const server = await startServer({ data });
    const before = await many(server, 'before', 1000);
    assert.equal(countOf(before, 'acknowledged'), 1000);
    const running = many(server, 'running', 1000);
    await add(server, 'first');
    process.kill(server.pid, 'SIGTERM');
    const outcomes = await running;
    assert.equal(await server.exited, 0);

    const again = await startServer({ data });
    assert.equal(await valueOf(again, 'before'), 1000);
    const value = await valueOf(again, 'running');
    const acknowledged = countOf(outcomes, 'acknowledged');
    const most = acknowledged + countOf(outcomes, 'in doubt');
    assert.ok(value >= acknowledged && value <= most, `${acknowledged} acknowledged, ${most} at most, found ${value}`);
    await again.stop();
  });

  it('refuses data that another process holds', async () => {
    const data = join(folder, 'held');
    const server = await startServer({ data });
    const { exit, err } = await refusedStart(['--data', data]);
    assert.equal(exit, 1);
    assert.match(err, /is held by another process.*\[DATA_IN_USE\]/);
    assert.equal(await add(server, 'k'), 'acknowledged');
    await server.stop();
  });

  it('stops at once at a second signal, and says what that costs', async () => {
    const server = await startServer({ args: ['--store', 'memory'] });
    const half = await halfSent(server);
    process.kill(server.pid, 'SIGTERM');
    await refusesConnections(server);
    process.kill(server.pid, 'SIGTERM');
    assert.equal(await server.exited, 1);
    half.destroy();
    await server.stop();
  });

  it('does not wait longer than drainTimeoutMs for a client that sends slowly', async () => {
    const server = await startServer({ args: ['--store', 'memory', '--drain-timeout-ms', '100'] });
    const half = await halfSent(server);
    process.kill(server.pid, 'SIGTERM');
    assert.equal(await server.exited, 0);
    half.destroy();
    await server.stop();
  });

  it('does not wait much longer than drainTimeoutMs for clients that do not read', async () => {
    const server = await startServer({ args: ['--store', 'memory', '--drain-timeout-ms', '500'] });
    const clients = await Promise.all(Array.from({ length: 4 }, () => unread(server, 400)));
    await valueOf(server, 'k');
    const beganMs = performance.now();
    process.kill(server.pid, 'SIGTERM');
    assert.equal(await server.exited, 0);
    const tookMs = performance.now() - beganMs;
    assert.ok(tookMs < 4000, `${tookMs} ms`);
    for (const client of clients) client.destroy();
    await server.stop();
  });

  it('takes gRPC messages of as many bytes as maxMessageBytes allows', async () => {
    const server = await startServer({ args: ['--store', 'memory', '--max-message-bytes', '1024'] });
    const client = createClient({ address: server.grpc });
    const adds = (items: number): Promise<unknown> => client.counters.addMany(Array.from({ length: items }, (_, i) => ({ key: `key ${i}` })));
    await adds(10);
    await assert.rejects(adds(500), { code: 'PAYLOAD_TOO_LARGE' });
    await client.close();
    await server.stop();
  });

  it('refuses settings it does not know with exit code 2', async () => {
    const config = join(folder, 'config.yaml');
    await writeFile(config, 'flushEvery: 5\n');
    const { exit, err } = await refusedStart(['--config', config]);
    assert.equal(exit, 2);
    assert.match(err, /flushEvery .*did you mean flushEveryMs\?/);
  });

  it('refuses a port that another process has, says how to choose another, and gives its data free again', async () => {
    const server = await startServer({ args: ['--store', 'memory'] });
    const data = join(folder, 'free');
    for (const setting of ['http', 'grpc'] as const) {
      const address = server[setting];
      const { exit, err } = await refusedStart(['--data', data, `--${setting}`, address, '--log-level', 'warn']);
      const message = `${setting}: ${address} is already in use; --${setting} chooses another port, as --${setting} 127.0.0.1:8080`;
      assert.deepEqual([exit, err], [2, `tallystick: ${message} [INVALID_CONFIG]\n`]);
    }
    await server.stop();
  });

  it('refuses counter types that make no sense before it touches the data', async () => {
    const data = join(folder, 'untouched');
    const { exit, err } = await refusedStart(['--data', data, '--counters', '{"a:*":{"type":"batched","min":0}}']);
    assert.equal(exit, 2);
    assert.match(err, /^tallystick: counters\["a:\*"\]\.min/);
    assert.equal(existsSync(data), false);
  });
});

/** A connection whose request never ends. */
async function halfSent(server: RunningServer): Promise<ReturnType<typeof connect>> {
  const socket = connect(Number(server.http.split(':')[1]), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write('POST /v1/counters/k HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{');
  // Answered on another connection: the first bytes of the half-sent request have been read by then.
  await valueOf(server, 'k');
  return socket;
}

/** A connection with `requests` requests whose answers nobody reads. */
async function unread(server: RunningServer, requests: number): Promise<ReturnType<typeof connect>> {
  const socket = connect(Number(server.http.split(':')[1]), '127.0.0.1').pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(requests));
  return socket;
}

async function refusesConnections(server: RunningServer): Promise<void> {
  while ((await add(server, 'other')) !== 'refused');
}
