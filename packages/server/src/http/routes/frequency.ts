/** `/v1/frequency`: the calls of gRPC's `FrequencyControl`, its messages as JSON. */
import { errorTable } from 'tallystick';
import { json, statusOfOutcome, type Route } from '../route.ts';

/** Routes over the frequency use cases. */
export const frequencyRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/v1/frequency/add',
    answer: async (app, { body }) => {
      const reply = await app.addFreq(body);
      return json(reply, statusOfOutcome(reply.outcome));
    },
  },
  {
    method: 'POST',
    url: '/v1/frequency/batch-add',
    answer: async (app, { body }) => json(await app.batchAddFreq(body)),
  },
  {
    method: 'POST',
    url: '/v1/frequency/get',
    role: 'read',
    answer: async (app, { body }) => {
      const reply = await app.getFreq(body);
      return json(reply, reply.code === 0 ? 200 : errorTable.KEY_NOT_FOUND.http);
    },
  },
  {
    method: 'POST',
    url: '/v1/frequency/batch-get',
    role: 'read',
    answer: async (app, { body }) => json(await app.batchGetFreq(body)),
  },
];
