/** `tallystick serve`: puts a node together, runs it, and takes it down without losing anything. */
import { TallystickError } from 'tallystick';
import { ApiKeys, checkDeclarations, createApp, LiveRules, oldestStandInMs, type App, type GuardOptions, type Log, type SheddingOptions } from '../app/index.ts';
import { formatAddress, isLoopback, loadConfig, type Config } from '../config/index.ts';
import { announce } from './announce.ts';
import { createLog } from './log.ts';
import { openStore } from './open-store.ts';
import { readTls } from './tls.ts';
import { CLOSE_GRACE_MS, stopBySignals, stoppingOnce } from './stopping.ts';
import { EXIT, type Terminal } from './terminal.ts';
import { isWorker, leaveSupervisor, stopByOrder, tellSupervisor } from './worker.ts';

/** A transport that listens. */
interface Transport {
  readonly port: number;
  close(timeoutMs: number): Promise<void>;
}

/** A node that runs. */
interface Node {
  readonly config: Config;
  readonly app: App;
  readonly log: Log;
  readonly http: Transport;
  readonly grpc: Transport;
  /** Lets go of what the store used, once it is closed, and of the stages behind it. */
  readonly release: () => Promise<void>;
}

type AppOptions = Parameters<typeof createApp>[0];
type AppEvent = Parameters<NonNullable<AppOptions['onEvent']>>[0];

/** Runs a node until it is told to stop, and then ends the process: answers that nobody reads do not hold it up. */
export async function serve(options: Readonly<Record<string, string>>, terminal: Terminal): Promise<never> {
  const { json, ...flags } = options;
  const config = await loadConfig({ flags, env: terminal.env });
  if (config.workers > 1 && !isWorker) return (await import('./supervisor.ts')).supervise(config, json !== undefined, terminal);
  const node = await start(config).catch((error: unknown) => {
    leaveSupervisor();
    throw error;
  });
  const ports = { http: node.http.port, grpc: node.grpc.port };
  if (isWorker) tellSupervisor(ports);
  else announce(config, ports, json !== undefined, terminal);
  const signal = await firstSignal(node, terminal);
  process.exit(await stop(node, signal, terminal));
}

async function start(config: Config): Promise<Node> {
  await checkDeclarations(config); // before the data is touched
  const log = await createLog(config.logLevel);
  warnBeyondLoopback(config, log);
  const rules = config.rules === undefined ? undefined : await LiveRules.open({ file: config.rules, log });
  // First the stages: they restore an empty Redis, which a journal of an earlier run waits for.
  const endStages = await stagesOf(config, log);
  // HTTP is loaded while the store opens its data in another thread.
  const [{ store, release: releaseStore }] = await Promise.all([openStore(config, log), import('../http/index.ts')]).catch(async (error: unknown) => {
    await endStages();
    throw error;
  });
  const release = async (): Promise<void> => {
    await endStages();
    releaseStore();
  };
  const { counters, limits, frequency, flushEveryMs, requestTimeoutMs, maxBatchItems } = config;
  const onEvent = (event: AppEvent): void => logEvent(event, log);
  const parts = { guard: guardOf(config), shedding: sheddingOf(config), ...nearOf(config), ...(rules !== undefined && { rules }) };
  const app = createApp({ store, counters, limits, frequency, flushEveryMs, requestTimeoutMs, maxBatchItems, onEvent, ...parts });
  try {
    return { config, app, log, release, ...(await listen(config, app, log)) };
  } catch (error) {
    await app.close(config.drainTimeoutMs);
    await release();
    throw error;
  }
}

/** Starts the stages of the log, where there is a ledger; returns what ends them. */
async function stagesOf({ redis, mysql, kafka, partitions, stages }: Config, log: Log): Promise<() => Promise<void>> {
  if (redis === undefined || mysql === undefined || stages === 'off') return () => Promise.resolve();
  const { startStages } = await import('./stages.ts');
  return startStages({ redis, mysql, kafka, partitions }, { relay: true, sink: true }, log);
}

/** The settings of shedding; undefined when it is off. */
const sheddingOf = ({ shedding, vipToken }: Config): SheddingOptions | undefined => (shedding === 'off' ? undefined : { vipToken });

/** The settings of the guard; undefined when it is off. */
function guardOf(config: Config): GuardOptions | undefined {
  const { guardIpPerMinute, guardUserPerMinute, guardOperationsPerMinute, guardDuplicateMs, guardOnOutage, trustedProxies = [], ipv6PrefixBits } = config;
  if (config.guard === 'off') return undefined;
  return {
    ipPerMinute: guardIpPerMinute,
    userPerMinute: guardUserPerMinute,
    operationsPerMinute: guardOperationsPerMinute,
    duplicateMs: guardDuplicateMs,
    ...(guardOnOutage !== 'wait' && { onOutage: guardOnOutage }),
    trustedProxies,
    ipv6PrefixBits,
  };
}

/** Copies spare a server that is elsewhere; a store in this process is as near. */
function nearOf({ store, frequency, nearTtlMs, nearMaxEntries, nearStaleIfErrorMs }: Config): Pick<AppOptions, 'near'> {
  const isWanted = nearTtlMs > 0 || nearStaleIfErrorMs > 0 || oldestStandInMs(frequency) > 0;
  if (store !== 'redis' || !isWanted) return {};
  return { near: { ttlMs: nearTtlMs, maxEntries: nearMaxEntries, staleIfErrorMs: nearStaleIfErrorMs } };
}

/** HTTP first: it answers while gRPC is still being loaded. */
async function listen(config: Config, app: App, log: Log): Promise<{ http: Transport; grpc: Transport }> {
  const { startHttp } = await import('../http/index.ts');
  const [tls, keys] = [await readTls(config), config.apiKeys && new ApiKeys(config.apiKeys)];
  const http = await startHttp({ app, keys, tls, ...config.http, maxBodyBytes: config.maxBodyBytes, log }).catch(withAdvice(config));
  try {
    const { logGrpcTo, startGrpc } = await import('../grpc/index.ts');
    logGrpcTo(log);
    const { maxBatchItems, maxMessageBytes } = config;
    const address = formatAddress(config.grpc);
    return { http, grpc: await startGrpc({ app, keys, tls, address, maxBatchItems, maxMessageBytes, log }).catch(withAdvice(config)) };
  } catch (error) {
    await http.close(0);
    throw error;
  }
}

/** Rethrows; where an address is taken it says how to choose another. */
function withAdvice(config: Config): (error: unknown) => never {
  return (error) => {
    const isTaken = error instanceof TallystickError && error.message.includes('EADDRINUSE');
    const setting = isTaken ? error.field : undefined;
    if (setting !== 'http' && setting !== 'grpc') throw error;
    const message = `${setting}: ${formatAddress(config[setting])} is already in use; --${setting} chooses another port, as --${setting} 127.0.0.1:8080`;
    throw new TallystickError('INVALID_CONFIG', message, { field: setting, cause: error });
  };
}

function warnBeyondLoopback({ http, grpc, tlsCert, tlsClientCa, apiKeys }: Config, log: Log): void {
  for (const [transport, address] of Object.entries({ http, grpc })) {
    if (isLoopback(address)) continue;
    const lacks = [...(tlsCert === undefined ? ['in clear text'] : []), ...(apiKeys === undefined && tlsClientCa === undefined ? ['without a key'] : [])];
    if (lacks.length > 0) log.warn({ transport, address: formatAddress(address) }, `other machines can reach this port, ${lacks.join(' and ')}`);
  }
}

/** A caller's key is told at debug level only. */
function logEvent(event: AppEvent, log: Log): void {
  if (event.type === 'repaired') log.debug(event, 'a counter got back its missing expiry');
  else log.warn(event, `the store: ${event.type}`);
}

/** Resolves at the first word to stop; a second one ends the process at once and says what that costs. */
function firstSignal({ app }: Node, { err }: Terminal): Promise<string> {
  return new Promise((resolve) => {
    const stopping = stoppingOnce(resolve, () => {
      const { waiting, tallies } = app.stats();
      err(`tallystick: stopped at once: ${waiting} callers not answered, ${tallies} batched counters perhaps not flushed`);
      process.exit(EXIT.refused);
    });
    (isWorker ? stopByOrder : stopBySignals)(stopping);
  });
}

/** New calls are refused with `CLOSED`, those that run are answered, everything is flushed. */
async function stop({ app, http, grpc, log, config, release }: Node, signal: string, { err }: Terminal): Promise<number> {
  log.info({ signal }, 'draining');
  const { drainTimeoutMs } = config;
  const late = setTimeout(() => {
    err('tallystick: stopped though the store did not close; what it had acknowledged is kept');
    process.exit(EXIT.refused);
  }, drainTimeoutMs + CLOSE_GRACE_MS);
  const [{ unsettled }] = await Promise.all([app.close(drainTimeoutMs), http.close(drainTimeoutMs), grpc.close(drainTimeoutMs)]);
  clearTimeout(late);
  await release();
  log.info({ unsettled }, 'stopped');
  if (unsettled === 0) return EXIT.ok;
  err(`tallystick: the store did not answer in ${drainTimeoutMs} ms: the outcome of ${unsettled} operations is not known`);
  return EXIT.refused;
}
