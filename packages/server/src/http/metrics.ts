/**
 * The metrics page. Figures are recorded as plain numbers and put into Prometheus' words when it is asked
 * for, so that a call pays nanoseconds for being measured. Labels are names of this program (routes, types,
 * statuses, events): their number does not grow with the callers' keys.
 */
import { collectDefaultMetrics, Registry, type Metric } from 'prom-client';
import { LATENCY_EDGES_MS } from 'tallystick';
import { BUCKETS_SECONDS, type App, type ResponseTimes } from '../app/index.ts';

/** The page and its content type. */
export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

interface Definition {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: (app: App) => readonly Sample[];
}

type Stats = ReturnType<App['stats']>;

const lane = (name: Exclude<keyof Stats, 'near' | 'latency'>, type: 'counter' | 'gauge', help: string): Definition => ({
  name: `tallystick_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}${type === 'counter' ? '_total' : ''}`,
  help,
  type,
  samples: (app) => [{ labels: {}, value: app.stats()[name] }],
});

const near = (name: keyof NonNullable<Stats['near']>, type: 'counter' | 'gauge', help: string): Definition => ({
  name: `tallystick_near_${name}${type === 'counter' ? '_total' : ''}`,
  help: `Near cache: ${help}`,
  type,
  samples: (app) => {
    const stats = app.stats().near;
    return stats === undefined ? [] : [{ labels: {}, value: stats[name] }];
  },
});

const STORE_LATENCY = 'tallystick_store_latency_seconds';

const DEFINITIONS: readonly Definition[] = [
  {
    name: 'counter_increment_total',
    help: 'Increments by counter type and outcome (applied, accepted, refused).',
    type: 'counter',
    samples: ({ figures }) =>
      [...figures.increments].flatMap(([key_type, byStatus]) =>
        [...byStatus].map(([status, value]) => ({ labels: { key_type, status }, value })),
      ),
  },
  {
    name: 'tallystick_rule_decisions_total',
    help: 'Decisions by rule of the rules file and outcome; the rule is empty where none was found.',
    type: 'counter',
    samples: ({ figures }) => [...figures.rules].flatMap(([rule, byOutcome]) => [...byOutcome].map(([outcome, value]) => ({ labels: { rule, outcome }, value }))),
  },
  {
    name: 'tallystick_rules_reloads_total',
    help: 'Changes of the rules file that were loaded, and that were refused.',
    type: 'counter',
    samples: ({ rules }) => Object.entries(rules?.reloads ?? {}).map(([outcome, value]) => ({ labels: { outcome }, value: value })),
  },
  {
    name: 'tallystick_rules_loaded_timestamp_seconds',
    help: 'When the rules that hold were loaded.',
    type: 'gauge',
    samples: ({ rules }) => (rules === undefined ? [] : [{ labels: { version: rules.status.version }, value: rules.status.loadedAtMs / 1000 }]),
  },
  {
    name: 'tallystick_rules_bad',
    help: '1 while the rules file is bad and older rules hold.',
    type: 'gauge',
    samples: ({ rules }) => (rules === undefined ? [] : [{ labels: {}, value: rules.status.lastError === null ? 0 : 1 }]),
  },
  {
    name: 'tallystick_rules_store_away',
    help: '1 while decisions are made without the store.',
    type: 'gauge',
    samples: ({ rules }) => (rules === undefined ? [] : [{ labels: {}, value: rules.isAway ? 1 : 0 }]),
  },
  {
    name: 'counter_response_time_seconds',
    help: 'Time from a parsed request to its answer, by route.',
    type: 'histogram',
    samples: ({ figures }) => [...figures.responseTimes].flatMap(([route, times]) => responseTimes(route, times)),
  },
  {
    name: 'tallystick_events_total',
    help: 'Re-sent batches, gaps and repairs, by type.',
    type: 'counter',
    samples: ({ figures }) => [...figures.events].map(([type, value]) => ({ labels: { type }, value })),
  },
  {
    name: 'tallystick_limit_decisions_total',
    help: 'Checks by rule (given: one that came with a call; empty: a block) and reason (allowed, limited, blocked).',
    type: 'counter',
    samples: ({ figures }) =>
      [...figures.decisions].flatMap(([rule, byReason]) => [...byReason].map(([reason, value]) => ({ labels: { rule, reason }, value }))),
  },
  {
    name: 'tallystick_guard_refusals_total',
    help: 'Likes and unlikes that the guard did not let pass, by rule.',
    type: 'counter',
    samples: ({ figures }) => [...figures.guardRefusals].map(([rule, value]) => ({ labels: { rule }, value })),
  },
  {
    name: 'tallystick_shed_total',
    help: 'Calls that were refused because this process was busy.',
    type: 'counter',
    samples: ({ figures }) => [{ labels: {}, value: figures.shed }],
  },
  lane('operations', 'counter', 'Operations taken by the lanes.'),
  lane('entries', 'counter', 'Entries of sealed batches: operations after combining.'),
  lane('batches', 'counter', 'Batches sealed.'),
  lane('resends', 'counter', 'Batches sent again under the same identity.'),
  lane('refused', 'counter', 'Operations refused.'),
  lane('repairs', 'counter', 'Counters that got back a missing expiry.'),
  lane('lostBatches', 'counter', 'Batches a store lost that could not be sent again.'),
  lane('waiting', 'gauge', 'Callers waiting for an answer.'),
  lane('accepted', 'gauge', 'Operations answered as accepted that the store has not answered yet; those of tallies not counted.'),
  lane('tallies', 'gauge', 'Keys with amounts of `batched` counters in this process.'),
  {
    name: 'tallystick_partitions_away',
    help: 'Partitions whose store does not answer: a batch has waited half a second. 0: the breaker is closed.',
    type: 'gauge',
    samples: (app) => [{ labels: {}, value: app.stats().away }],
  },
  {
    name: STORE_LATENCY,
    help: 'Time from the sealing of a batch to its answer, whatever was sent again between.',
    type: 'histogram',
    samples: (app) => {
      const { batches, sumMs } = app.stats().latency;
      return histogram(STORE_LATENCY, {}, { edges: LATENCY_EDGES_MS.map((ms) => ms / 1000), counts: batches, sum: sumMs / 1000 });
    },
  },
  near('entries', 'gauge', 'copies kept.'),
  near('hits', 'counter', 'reads answered by a copy.'),
  near('misses', 'counter', 'reads that waited for the store.'),
  near('stale', 'counter', 'reads answered by a copy because the store did not answer.'),
  near('evicted', 'counter', 'copies dropped to make room.'),
];

/** How often something was within each edge and beyond the one before, and once more for beyond them all. */
interface Distribution {
  readonly edges: readonly number[];
  readonly counts: ArrayLike<number>;
  readonly sum: number;
}

function responseTimes(route: string, { buckets, sumSeconds }: ResponseTimes): Sample[] {
  return histogram('counter_response_time_seconds', { route }, { edges: BUCKETS_SECONDS, counts: buckets, sum: sumSeconds });
}

function histogram(name: string, labels: Sample['labels'], { edges, counts, sum }: Distribution): Sample[] {
  let below = 0;
  const buckets = [...edges, '+Inf'].map((le, bucket) => {
    below += counts[bucket] ?? 0;
    return { labels: { ...labels, le }, value: below, metricName: `${name}_bucket` };
  });
  return [...buckets, { labels, value: sum, metricName: `${name}_sum` }, { labels, value: below, metricName: `${name}_count` }];
}

const registries = new WeakMap<App, Registry>();

/** One registry for an app, with what Node.js says of the process; nothing in prom-client's global one. */
function registryOf(app: App): Registry {
  let registry = registries.get(app);
  if (registry !== undefined) return registry;
  registries.set(app, (registry = new Registry()));
  collectDefaultMetrics({ register: registry });
  for (const { samples, ...definition } of DEFINITIONS) {
    // A registry asks a metric for nothing but its name and its samples.
    const metric = { ...definition, get: () => Promise.resolve({ ...definition, values: samples(app) }) };
    registry.registerMetric(metric as unknown as Metric);
  }
  return registry;
}

/** The metrics of `app`, and of the process it runs in. */
export async function metricsOf(app: App): Promise<MetricsPage> {
  const registry = registryOf(app);
  return { contentType: registry.contentType, text: await registry.metrics() };
}
