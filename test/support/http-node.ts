/** An HTTP node for tests: real server, real store, a port of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type Store } from 'tallystick';
import { sqliteStore } from 'tallystick/sqlite';
import { createApp, type App, type AppOptions, type Log } from '../../packages/server/src/app/index.ts';
import { startHttp } from '../../packages/server/src/http/index.ts';

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: Record<string, unknown> | undefined;
}

export interface HttpNode extends AsyncDisposable {
  readonly app: App;
  readonly port: number;
  readonly url: string;
  /** What the node logged, a line of level and message each. */
  readonly logged: string[];
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  call(path: string, init: RequestInit): Promise<Answer>;
  /** Stops the server; the app is closed first, as a draining node does. */
  close(): Promise<void>;
}

/** What to clean up after a store. */
interface OpenedStore {
  readonly store: Store;
  readonly remove: () => Promise<void>;
}

/** Every store a node can have. */
export const STORES: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  memory: () => Promise.resolve({ store: memoryStore(), remove: () => Promise.resolve() }),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tallystick-http-'));
    const store = await sqliteStore({ path: join(folder, 'counters.sqlite') });
    return { store, remove: () => rm(folder, { recursive: true, force: true }) };
  },
};

function logInto(lines: string[]): Log {
  const at = (level: string) => (_fields: object, message: string) => void lines.push(`${level} ${message}`);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '') && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? (JSON.parse(text) as Answer['body']) : undefined };
}

/** Starts a node; `options` are those of the app, with a memory store unless one is given. */
export async function startNode(
  { store = memoryStore(), maxBodyBytes = 1024 * 1024, ...options }: Partial<AppOptions> & { maxBodyBytes?: number } = {},
  remove: () => Promise<void> = () => Promise.resolve(),
): Promise<HttpNode> {
  const logged: string[] = [];
  const app = createApp({ store, ...options });
  const http = await startHttp({ app, host: '127.0.0.1', port: 0, maxBodyBytes, log: logInto(logged) });
  const url = `http://127.0.0.1:${http.port}`;
  const call = async (path: string, init: RequestInit): Promise<Answer> => answerOf(await fetch(url + path, init));
  const close = async (): Promise<void> => {
    await Promise.all([app.close(5000), http.close(5000)]);
    await remove();
  };
  return {
    app,
    port: http.port,
    url,
    logged,
    call,
    get: (path) => call(path, {}),
    post: (path, body) =>
      call(path, { method: 'POST', ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts a node over a store of {@link STORES}. */
export async function startNodeOn(store: string, options: Partial<AppOptions> = {}): Promise<HttpNode> {
  const opened = await STORES[store]!();
  return startNode({ ...options, store: opened.store }, opened.remove);
}
