/**
 * The metrics page. Figures are recorded as plain numbers and put into Prometheus' words when it is asked
 * for, so that a call pays nanoseconds for being measured. Labels are names of this program (routes, types,
 * statuses, events): their number does not grow with the callers' keys.
 */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { BUCKETS_SECONDS } from "../app/index.js";
const lane = (name, type, help) => ({
    name: `tallystick_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}${type === 'counter' ? '_total' : ''}`,
    help,
    type,
    samples: (app) => [{ labels: {}, value: app.stats()[name] }],
});
const DEFINITIONS = [
    {
        name: 'counter_increment_total',
        help: 'Increments by counter type and outcome (applied, accepted, refused).',
        type: 'counter',
        samples: ({ figures }) => [...figures.increments].flatMap(([key_type, byStatus]) => [...byStatus].map(([status, value]) => ({ labels: { key_type, status }, value }))),
    },
    {
        name: 'counter_response_time_seconds',
        help: 'Time from a parsed request to its answer, by route.',
        type: 'histogram',
        samples: ({ figures }) => [...figures.responseTimes].flatMap(([route, times]) => histogram(route, times)),
    },
    {
        name: 'tallystick_events_total',
        help: 'Re-sent batches, gaps and repairs, by type.',
        type: 'counter',
        samples: ({ figures }) => [...figures.events].map(([type, value]) => ({ labels: { type }, value })),
    },
    lane('operations', 'counter', 'Operations taken by the lanes.'),
    lane('entries', 'counter', 'Entries of sealed batches: operations after combining.'),
    lane('batches', 'counter', 'Batches sealed.'),
    lane('resends', 'counter', 'Batches sent again under the same identity.'),
    lane('refused', 'counter', 'Operations refused.'),
    lane('repairs', 'counter', 'Counters that got back a missing expiry.'),
    lane('lostBatches', 'counter', 'Batches a store lost that could not be sent again.'),
    lane('waiting', 'gauge', 'Callers waiting for an answer.'),
    lane('tallies', 'gauge', 'Keys with amounts of `batched` counters in this process.'),
];
function histogram(route, times) {
    const name = 'counter_response_time_seconds';
    let below = 0;
    const buckets = [...BUCKETS_SECONDS, '+Inf'].map((le, bucket) => {
        below += times.buckets[bucket] ?? 0;
        return { labels: { route, le }, value: below, metricName: `${name}_bucket` };
    });
    return [
        ...buckets,
        { labels: { route }, value: times.sumSeconds, metricName: `${name}_sum` },
        { labels: { route }, value: times.count, metricName: `${name}_count` },
    ];
}
const registries = new WeakMap();
/** One registry for an app, with what Node.js says of the process; nothing in prom-client's global one. */
function registryOf(app) {
    let registry = registries.get(app);
    if (registry !== undefined)
        return registry;
    registries.set(app, (registry = new Registry()));
    collectDefaultMetrics({ register: registry });
    for (const { samples, ...definition } of DEFINITIONS) {
        // A registry asks a metric for nothing but its name and its samples.
        const metric = { ...definition, get: () => Promise.resolve({ ...definition, values: samples(app) }) };
        registry.registerMetric(metric);
    }
    return registry;
}
/** The metrics of `app`, and of the process it runs in. */
export async function metricsOf(app) {
    const registry = registryOf(app);
    return { contentType: registry.contentType, text: await registry.metrics() };
}
//# sourceMappingURL=metrics.js.map