import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FaultProxy } from './fault-proxy.ts';
import { eventually } from './redis-command.ts';

/** A server that says what it hears. */
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    heard += String(bytes);
    socket.write(bytes);
  });
});
let heard = '';
let proxy: FaultProxy;
let client: Socket;
let said = '';

async function dial(): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('error', () => undefined).on('data', (bytes) => (said += String(bytes)));
  await once(socket, 'connect');
  return socket;
}

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  heard = '';
  said = '';
  proxy = await new FaultProxy((server.address() as AddressInfo).port).start();
  client = await dial();
});
afterEach(async () => {
  client.destroy();
  await proxy.stop();
  server.close();
  await once(server, 'close');
});

describe('a fault proxy', () => {
  it('cuts every connection', async () => {
    client.write('a');
    await eventually('said', () => said === 'a');
    proxy.cut();
    await once(client, 'close');
  });

  it('delays what the server says, and lets nothing overtake it', async () => {
    proxy.delayMs = 60;
    const beganMs = performance.now();
    client.write('a');
    await eventually('heard', () => heard === 'a');
    proxy.heal();
    client.write('b');
    await eventually('said', () => said.length === 2);
    assert.equal(said, 'ab');
    assert.ok(performance.now() - beganMs >= 59);
  });

  it('drops replies to what the server has heard', async () => {
    proxy.dropReplies = true;
    client.write('a');
    await eventually('heard', () => heard === 'a');
    proxy.heal();
    client.write('b');
    await eventually('said', () => said === 'b');
  });

  it('loses the reply to one request, with its connection, once the server has answered', async () => {
    const lost = proxy.loseReplyTo('b');
    client.write('a');
    await eventually('said', () => said === 'a');
    client.write('b');
    await Promise.all([lost, once(client, 'close')]);
    const other = await dial();
    other.write('b');
    await eventually('said again', () => said === 'ab');
    assert.equal(heard, 'abb');
    other.destroy();
  });

  it('goes silent without closing, on the connections there are', async () => {
    proxy.silence();
    client.write('a');
    const other = await dial();
    other.write('b');
    await eventually('said', () => said === 'b');
    assert.deepEqual([heard, client.destroyed], ['b', false]);
    other.destroy();
  });

  it('tears a request in the middle', async () => {
    const torn = proxy.tear();
    client.write('abcdef');
    await Promise.all([torn, once(client, 'close')]);
    await eventually('heard', () => heard === 'abc');
  });

  it('refuses connections', async () => {
    proxy.refuse = true;
    await once(await dial(), 'close');
    assert.equal(proxy.accepted, 2);
  });
});
