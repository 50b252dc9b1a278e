/** What operators and tools ask: health, readiness, metrics, the description of all this. */
import { json, type HttpAnswer, type Route } from '../route.ts';

/** Written once: it is long, and always the same. */
let description: HttpAnswer | undefined;

/** Routes for operators. Metrics and the description are loaded when first asked for. */
export const operationsRoutes: readonly Route[] = [
  {
    method: 'GET',
    url: '/healthz',
    role: 'anybody',
    answer: () => Promise.resolve(json({ status: 'alive' })),
  },
  {
    method: 'GET',
    url: '/readyz',
    role: 'anybody',
    answer: async (app) => {
      const { ready, ...more } = await app.readiness();
      return ready ? json({ status: 'ready', ...more }) : json({ status: 'not ready', ...more }, 503);
    },
  },
  {
    method: 'GET',
    url: '/metrics',
    answer: async (app) => {
      const { metricsOf } = await import('../metrics.ts');
      const { contentType, text } = await metricsOf(app);
      return { status: 200, body: text, contentType };
    },
  },
  {
    method: 'GET',
    url: '/openapi.json',
    answer: async () => {
      description ??= json((await import('../openapi/document.ts')).openApiDocument());
      return description;
    },
  },
];
