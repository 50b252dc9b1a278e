/** `tallystick serve`: puts a node together, runs it, and takes it down without losing anything. */
import { join } from 'node:path';
import { TallystickError, type Store } from 'tallystick';
import { checkCounters, createApp, type App, type Log } from '../app/index.ts';
import { formatAddress, isLoopback, loadConfig, type Address, type Config } from '../config/index.ts';
import { createLog } from './log.ts';
import { EXIT, type Terminal } from './terminal.ts';

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
}

type AppEvent = Parameters<NonNullable<Parameters<typeof createApp>[0]['onEvent']>>[0];

/** Runs a node until it is told to stop, and then ends the process: answers that nobody reads do not hold it up. */
export async function serve(options: Readonly<Record<string, string>>, terminal: Terminal): Promise<never> {
  const { json, ...flags } = options;
  const config = await loadConfig({ flags, env: terminal.env });
  const node = await start(config);
  announce(node, json !== undefined, terminal);
  const signal = await firstSignal(node, terminal);
  process.exit(await stop(node, signal, terminal));
}

async function start(config: Config): Promise<Node> {
  await checkCounters(config.counters); // before the data is touched
  const log = await createLog(config.logLevel);
  warnBeyondLoopback(config, log);
  // HTTP is loaded while the store opens its data in another thread.
  const [store] = await Promise.all([openStore(config, log), import('../http/index.ts')]);
  const { counters, flushEveryMs, requestTimeoutMs, maxBatchItems } = config;
  const onEvent = (event: AppEvent): void => logEvent(event, log);
  const app = createApp({ store, counters, flushEveryMs, requestTimeoutMs, maxBatchItems, onEvent });
  try {
    return { config, app, log, ...(await listen(config, app, log)) };
  } catch (error) {
    await app.close(config.drainTimeoutMs);
    throw error;
  }
}

async function openStore({ store, data, requestRetentionMs }: Config, log: Log): Promise<Store> {
  if (store === 'memory') {
    const { memoryStore } = await import('tallystick');
    return memoryStore({ requestRetentionMs });
  }
  const { sqliteStore } = await import('tallystick/sqlite');
  const onEvent = (event: { readonly type: string }): void => {
    if (event.type === 'fault') log.error(event, 'the store stopped at a fault; the next call opens the data again');
    else log.info(event, 'the data is open');
  };
  return sqliteStore({ path: join(data, 'counters.sqlite'), requestRetentionMs, onEvent });
}

/** HTTP first: it answers while gRPC is still being loaded. */
async function listen(config: Config, app: App, log: Log): Promise<{ http: Transport; grpc: Transport }> {
  const { startHttp } = await import('../http/index.ts');
  const http = await startHttp({ app, ...config.http, maxBodyBytes: config.maxBodyBytes, log }).catch(withAdvice(config));
  try {
    const { logGrpcTo, startGrpc } = await import('../grpc/index.ts');
    logGrpcTo(log);
    const { maxBatchItems, maxMessageBytes } = config;
    const address = formatAddress(config.grpc);
    return { http, grpc: await startGrpc({ app, address, maxBatchItems, maxMessageBytes, log }).catch(withAdvice(config)) };
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

function warnBeyondLoopback({ http, grpc }: Config, log: Log): void {
  for (const [transport, address] of Object.entries({ http, grpc })) {
    if (isLoopback(address)) continue;
    log.warn({ transport, address: formatAddress(address) }, 'other machines can reach this port, in clear text and without a key');
  }
}

/** A caller's key is told at debug level only. */
function logEvent(event: AppEvent, log: Log): void {
  if (event.type === 'repaired') log.debug(event, 'a counter got back its missing expiry');
  else log.warn(event, `the store: ${event.type}`);
}

function announce({ config, http, grpc }: Node, asJson: boolean, { out }: Terminal): void {
  const at = (address: Address, { port }: Transport): string => formatAddress({ ...address, port });
  const url = `http://${at(config.http, http)}`;
  const data = config.store === 'memory' ? 'in memory' : config.data;
  out(
    asJson
      ? JSON.stringify({ event: 'listening', http: at(config.http, http), grpc: at(config.grpc, grpc), url, store: config.store, data, pid: process.pid })
      : `tallystick listens: ${url} · grpc ${at(config.grpc, grpc)} · counters ${config.store === 'memory' ? data : `in ${data}`}`,
  );
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves at the first signal to stop; a second one ends the process at once and says what that costs. */
function firstSignal({ app }: Node, { err }: Terminal): Promise<string> {
  return new Promise((resolve) => {
    let stopping = false;
    const onSignal = (signal: string): void => {
      if (stopping) {
        const { waiting, tallies } = app.stats();
        err(`tallystick: stopped at once: ${waiting} callers not answered, ${tallies} batched counters perhaps not flushed`);
        process.exit(EXIT.refused);
      }
      stopping = true;
      resolve(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  });
}

/** How much longer than `drainTimeoutMs` the closing of the store itself may take. */
const CLOSE_GRACE_MS = 5000;

/** New calls are refused with `CLOSED`, those that run are answered, everything is flushed. */
async function stop({ app, http, grpc, log, config }: Node, signal: string, { err }: Terminal): Promise<number> {
  log.info({ signal }, 'draining');
  const { drainTimeoutMs } = config;
  const late = setTimeout(() => {
    err('tallystick: stopped though the store did not close; what it had acknowledged is kept');
    process.exit(EXIT.refused);
  }, drainTimeoutMs + CLOSE_GRACE_MS);
  const [{ unsettled }] = await Promise.all([app.close(drainTimeoutMs), http.close(drainTimeoutMs), grpc.close(drainTimeoutMs)]);
  clearTimeout(late);
  log.info({ unsettled }, 'stopped');
  if (unsettled === 0) return EXIT.ok;
  err(`tallystick: the store did not answer in ${drainTimeoutMs} ms: the outcome of ${unsettled} operations is not known`);
  return EXIT.refused;
}
