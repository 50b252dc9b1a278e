/** `tallystick add`: adds to a counter of a running node. */
import { integerOf, integersOf, post, refusal, serverOf, textsOf } from './node-client.ts';
import { EXIT, failed, type Terminal } from './terminal.ts';

/** What the node says of the one item. */
interface AddedItem {
  readonly outcome: 'applied' | 'accepted' | 'refused';
  readonly value?: number;
  /** Of a refusal: its number in the table of errors. */
  readonly code?: number;
  readonly msg?: string;
}

/** Adds `delta`, the second word, to the counter of the first. */
export async function add(options: Readonly<Record<string, string>>, terminal: Terminal, words: readonly string[]): Promise<number> {
  const [key, delta = '1'] = words;
  const item = {
    key,
    delta: integerOf('delta', delta),
    ...textsOf(options, ['type', 'member', 'requestId']),
    ...integersOf(options, ['min', 'max', 'ttlMs', 'windowMs', 'slices', 'shards']),
  };
  const server = await serverOf(options, terminal);
  const { results } = (await post(server, '/v1/counters/add', { items: [item] })) as { results: [AddedItem] };
  return print(results[0], options['json'] !== undefined, terminal);
}

function print(result: AddedItem, asJson: boolean, terminal: Terminal): number {
  const { out, err } = terminal;
  const isRefused = result.outcome === 'refused';
  if (!asJson && isRefused) return failed(refusal(result), terminal, asJson);
  out(asJson ? JSON.stringify(result) : String(result.value));
  if (!asJson && result.outcome === 'accepted') err('accepted: will be counted exactly once, the value is an estimate');
  return isRefused ? EXIT.refused : EXIT.ok;
}
