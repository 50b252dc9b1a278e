/** Talks to a running node, for the commands that do. */
import { errorTable, TallystickError, type ErrorCode } from 'tallystick';
import { formatAddress, loadConfig } from '../config/index.ts';
import { Unreachable, UsageError, type Terminal } from './terminal.ts';

type Options = Readonly<Record<string, string>>;

const PATIENCE_MS = 30_000;
const ANY_ADDRESS = new Set(['0.0.0.0', '::']);

/** The node that the options, the environment or the settings name. */
export async function serverOf(options: Options, { env }: Terminal): Promise<string> {
  const named = options['server'] ?? env['TALLYSTICK_SERVER'];
  if (named !== undefined) return checkedUrl(named);
  const { http, tlsCert } = await loadConfig({ flags: { config: options['config'] }, env });
  return `${tlsCert === undefined ? 'http' : 'https'}://${formatAddress(ANY_ADDRESS.has(http.host) ? { ...http, host: '127.0.0.1' } : http)}`;
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UsageError(`server: expected a URL such as http://127.0.0.1:7070, got ${JSON.stringify(text)}`);
}

/**
 * Posts `body` to `path` of a node and returns the answer.
 *
 * @throws TallystickError when refused; Unreachable when no node answers.
 */
export async function post(server: string, path: string, body: object): Promise<unknown> {
  const response = await answerOf(server, path, body);
  const answer = await response.json().catch((cause: unknown) => {
    throw new Unreachable(`${server} answers, but not as a Tallystick node does`, cause);
  });
  if (!response.ok) throw refusal(answer as Told);
  return answer;
}

async function answerOf(server: string, path: string, body: object): Promise<Response> {
  const apiKey = process.env['TALLYSTICK_API_KEY'];
  const headers = { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) };
  try {
    return await fetch(server + path, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (cause) {
    const { message, cause: reason } = cause as Error;
    throw new Unreachable(`no node answers at ${server}: ${reason instanceof Error ? reason.message : message}`, cause);
  }
}

/** What a node says of a refusal. */
interface Told {
  readonly code?: number;
  readonly msg?: string;
}

/** A node's refusal, of a call or of one item, as an error of the table. */
export function refusal({ code, msg }: Told): TallystickError {
  const name = (Object.keys(errorTable) as ErrorCode[]).find((known) => errorTable[known].number === code);
  return new TallystickError(name ?? 'INTERNAL', withoutPlace(msg ?? 'the node gave no reason'));
}

/** A command sends its one counter as a batch of one. */
const withoutPlace = (message: string): string => message.replace(/^items\[0\](?:: |\.)/, '');

/** The integer written in `text`. @throws UsageError */
export function integerOf(name: string, text: string): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new UsageError(`${name}: expected an integer within ±(2^53 − 1), got ${JSON.stringify(text)}`);
}

/** Those of the named options that were given, as integers. */
export function integersOf(options: Options, names: readonly string[]): Record<string, number> {
  const given = names.flatMap((name) => (options[name] === undefined ? [] : [[name, integerOf(name, options[name])] as const]));
  return Object.fromEntries(given);
}

/** Those of the named options that were given. */
export function textsOf(options: Options, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const])));
}
