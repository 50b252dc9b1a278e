/** `tallystick get`: reads counters of a running node. */
import type { GetCountersReply } from '../app/index.ts';
import { integersOf, post, serverOf, textsOf } from './node-client.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** Prints the values of `keys`. */
export async function get(options: Readonly<Record<string, string>>, terminal: Terminal, keys: readonly string[]): Promise<number> {
  const server = await serverOf(options, terminal);
  const which = { ...textsOf(options, ['type']), ...integersOf(options, ['windowMs', 'slices']) };
  const { results } = (await post(server, '/v1/counters/get', { keys: keys.map((key) => ({ key, ...which })) })) as GetCountersReply;
  for (const result of results) {
    const line = results.length === 1 ? String(result.value) : `${result.value}\t${result.key}`;
    terminal.out(options['json'] === undefined ? line : JSON.stringify(result));
  }
  return EXIT.ok;
}
