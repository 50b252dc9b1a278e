/** Ports of 127.0.0.1 for servers that cannot be told to take any. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A port that is free now, at most `highest`. Another process may take it before it is used. */
export async function freePort(highest = 65_535): Promise<number> {
  for (;;) {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    if (port <= highest) return port;
  }
}
