/** What operators and tools ask: health, readiness, metrics, the description of all this. */
import { json } from "../route.js";
/** Written once: it is long, and always the same. */
let description;
/** Routes for operators. Metrics and the description are loaded when first asked for. */
export const operationsRoutes = [
    {
        method: 'GET',
        url: '/healthz',
        answer: () => Promise.resolve(json({ status: 'alive' })),
    },
    {
        method: 'GET',
        url: '/readyz',
        answer: async (app) => {
            const { ready, reason } = await app.readiness();
            return ready ? json({ status: 'ready' }) : json({ status: 'not ready', reason }, 503);
        },
    },
    {
        method: 'GET',
        url: '/metrics',
        answer: async (app) => {
            const { metricsOf } = await import("../metrics.js");
            const { contentType, text } = await metricsOf(app);
            return { status: 200, body: text, contentType };
        },
    },
    {
        method: 'GET',
        url: '/openapi.json',
        answer: async () => {
            description ??= json((await import("../openapi/document.js")).openApiDocument());
            return description;
        },
    },
];
//# sourceMappingURL=operations.js.map