/** `/v1/counters`: counters of every type, one or many. */
import { errorTable } from 'tallystick';
import type { CounterResult } from '../../app/index.ts';
import { json, statusOfOutcome, type HttpRequest, type Route } from '../route.ts';

const INTEGER = /^-?\d{1,16}$/;

/** A refused item carries the number of its code, as every answer does. */
function wireResult(result: CounterResult): object {
  return result.outcome === 'refused' ? { ...result, code: errorTable[result.code].number } : result;
}

/** Query fields arrive as text; what is not an integer stays text and is refused by its type. */
function queryOf({ query }: HttpRequest): Record<string, unknown> {
  const fields = Object.entries(query).map(([name, value]) => {
    const isNumber = name !== 'type' && typeof value === 'string' && INTEGER.test(value);
    return [name, isNumber ? Number(value) : value] as const;
  });
  return Object.fromEntries(fields);
}

const keyOf = ({ params }: HttpRequest): string => params['key'] as string;

/** Routes over the counter use cases. */
export const counterRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/v1/counters/add',
    answer: async (app, { body }) => {
      const { results } = await app.addCounters(body);
      return json({ results: results.map(wireResult) });
    },
  },
  {
    method: 'POST',
    url: '/v1/counters/get',
    role: 'read',
    answer: async (app, { body }) => json(await app.getCounters(body)),
  },
  {
    method: 'POST',
    url: '/v1/counters/:key',
    answer: async (app, request) => {
      const result = await app.addCounter(keyOf(request), request.body);
      return json(result, statusOfOutcome(result.outcome));
    },
  },
  {
    method: 'GET',
    url: '/v1/counters/:key',
    hasQuery: true,
    answer: async (app, request) => json(await app.getCounter(keyOf(request), queryOf(request))),
  },
];
