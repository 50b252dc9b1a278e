/** Whether the server may drop keys by itself when its memory is full: it would drop counts, and say nothing. */
import type { Caller } from './script.ts';

const SAFE = 'noeviction';

/** The server's policy, when by it a key may be dropped; undefined when none may, or the user may not ask. */
export async function evictionPolicy(caller: Caller, firstKey: string): Promise<string | undefined> {
  const reply = await caller.send(['CONFIG', 'GET', 'maxmemory*'], firstKey).catch(() => []);
  const settings = new Map(pairsOf(reply));
  const policy = settings.get('maxmemory-policy');
  return settings.get('maxmemory') === '0' || policy === SAFE ? undefined : policy;
}

/** RESP2 answers names and values in turn, RESP3 a map, which clients give as they please. */
function pairsOf(reply: unknown): [string, string][] {
  if (!Array.isArray(reply)) return Object.entries(reply as object).map(([name, value]) => [name, String(value)]);
  return reply.flatMap((name, i) => (i % 2 === 0 ? [[String(name), String(reply[i + 1])] as [string, string]] : []));
}
