/** The counters of a node as seen over HTTP, in the words of the library. */
import { errorTable, TallystickError, type AddResult, type CounterReading, type ErrorCode, type Refusal } from 'tallystick';
import type { Door } from './door.ts';

type Wire = Record<string, unknown>;

const nameOf = (number: unknown): ErrorCode => {
  const name = (Object.keys(errorTable) as ErrorCode[]).find((code) => errorTable[code].number === number);
  if (name === undefined) throw new Error(`no code has the number ${String(number)}`);
  return name;
};

/** One call. @throws TallystickError as the envelope says. */
async function call(url: string, init: RequestInit = {}): Promise<Wire> {
  const response = await fetch(url, init);
  const body = (await response.json()) as Wire;
  if (response.ok) return body;
  const { code, msg, field, index } = body;
  throw new TallystickError(nameOf(code), String(msg), {
    ...(typeof field === 'string' && { field }),
    ...(typeof index === 'number' && { index }),
  });
}

/** Posts a body that is JSON already, or becomes it. */
export const post = (url: string, body: unknown): Promise<Wire> =>
  call(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: typeof body === 'string' ? body : JSON.stringify(body) });

const withoutKey = ({ key: _, ...result }: Wire): Wire => result;

/** An item of a batch: its code is a number on the wire. */
const itemOf = (wire: Wire): AddResult | Refusal =>
  (wire['outcome'] === 'refused' ? { ...withoutKey(wire), code: nameOf(wire['code']) } : withoutKey(wire)) as unknown as AddResult | Refusal;

/** Opens the door. Single calls use the paths with the key in them, batches those with a body. */
export function httpDoor(url: string): Door {
  const at = (key: string): string => `${url}/v1/counters/${encodeURIComponent(key)}`;
  return {
    add: async (key, delta, options = {}) =>
      withoutKey(await post(at(key), { ...options, ...(delta !== undefined && { delta }) })) as unknown as AddResult,
    get: async (key, options = {}) => {
      const query = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)] as [string, string])).toString();
      return withoutKey(await call(`${at(key)}${query === '' ? '' : `?${query}`}`)) as unknown as CounterReading;
    },
    addMany: async (items, options = {}) =>
      ((await post(`${url}/v1/counters/add`, { items, ...options }))['results'] as Wire[]).map(itemOf),
    getMany: async (items) =>
      ((await post(`${url}/v1/counters/get`, { keys: items }))['results'] as Wire[]).map(withoutKey) as unknown as CounterReading[],
  };
}
