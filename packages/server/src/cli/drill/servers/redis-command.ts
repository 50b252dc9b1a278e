/** Commands to one Redis server, each over a connection of its own, and waiting for what they tell. */
import { createClient } from 'redis';

/** Sends a command to the server at a port of 127.0.0.1. */
export async function redisCommand(port: number, ...command: string[]): Promise<unknown> {
  const client = createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}

/** Waits until something holds; what throws does not hold yet. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean, withinMs = 15_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    if (await Promise.resolve().then(holds).catch(() => false)) return;
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether a server is a primary, and takes writes. */
export const isPrimary = async (port: number): Promise<boolean> => ((await redisCommand(port, 'ROLE')) as string[])[0] === 'master';

/** Waits until a replica hears its primary, and has what that had by then. */
export async function replicated(replicaPort: number): Promise<void> {
  await eventually('the replica is linked', async () => ((await redisCommand(replicaPort, 'ROLE')) as string[])[3] === 'connected');
}

/** From now on a replica hears nothing of its primary, which goes on. */
export async function cutReplication(primaryPort: number, replicaPort: number): Promise<void> {
  await redisCommand(replicaPort, 'CONFIG', 'SET', 'masteruser', 'nobody');
  await redisCommand(replicaPort, 'CONFIG', 'SET', 'masterauth', 'nothing');
  await redisCommand(primaryPort, 'CLIENT', 'KILL', 'TYPE', 'replica');
  await eventually('the link is cut', async () => ((await redisCommand(replicaPort, 'ROLE')) as string[])[3] !== 'connected');
}

/** A replica, or what it became, hears its primary again. */
export async function mendReplication(replicaPort: number): Promise<void> {
  await redisCommand(replicaPort, 'CONFIG', 'SET', 'masteruser', '');
  await redisCommand(replicaPort, 'CONFIG', 'SET', 'masterauth', '');
}
