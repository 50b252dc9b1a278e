// A TCP proxy that fails the way networks do: it cuts, tears requests apart, delays, refuses, swallows what the
// server says, or goes silent with its connections open.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** One client's connection and the one to the server behind it. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  silent: boolean;
  /** Told when the reply that is to be lost has come. */
  onLost?: () => void;
  /** What the server said and is held back, oldest first: nothing overtakes it. */
  readonly held: Buffer[];
}

export class FaultProxy {
  readonly #target: { readonly port: number; readonly host: string };
  readonly #pairs = new Set<Pair>();
  /** Told of each connection whose request was torn. */
  #onTorn: (() => void) | undefined;
  /** The request whose reply is to be lost. */
  #losing: { readonly text: string; readonly onLost: () => void } | undefined;
  #listener: Server | undefined;
  #port = 0;
  /** Each piece of what the server says waits so long. */
  delayMs = 0;
  /** What the server says is thrown away, while it still hears the clients. */
  dropReplies = false;
  /** New connections are closed at once. */
  refuse = false;
  /** Connections accepted so far. */
  accepted = 0;

  constructor(port: number, host = '127.0.0.1') {
    this.#target = { port, host };
  }

  /** Where clients connect to. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Starts listening, on the same port after a {@link stop}. */
  async start(): Promise<this> {
    this.#listener = createServer((client) => this.#accept(client));
    this.#listener.listen(this.#port, '127.0.0.1');
    await once(this.#listener, 'listening');
    this.#port = (this.#listener.address() as AddressInfo).port;
    return this;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    this.#pairs.clear();
  }

  /** Lets half of the next request through, and resets its connection and all others. Resolves when that is done. */
  async tear(): Promise<void> {
    await new Promise<void>((resolve) => (this.#onTorn = resolve));
    this.cut();
  }

  /**
   * Lets the next request that contains `text` through, throws away what the server answers, and cuts that connection.
   * Resolves when that is done: the server has then executed it.
   */
  async loseReplyTo(text: string): Promise<void> {
    await new Promise<void>((onLost) => { this.#losing = { text, onLost }; });
  }

  /**
   * From now on nothing passes on the connections there are, and none is closed: a peer that is gone without
   * a word. New connections work.
   */
  silence(): void {
    for (const pair of this.#pairs) pair.silent = true;
  }

  /** Cuts, and listens no more. */
  async stop(): Promise<void> {
    const closed = this.#listener === undefined ? undefined : once(this.#listener, 'close');
    this.#listener?.close();
    this.cut();
    await closed;
  }

  /** Lets everything pass again, but for what is {@link silence | silent}. */
  heal(): void {
    this.delayMs = 0;
    this.dropReplies = false;
    this.refuse = false;
  }

  #accept(client: Socket): void {
    this.accepted++;
    if (this.refuse) {
      client.destroy();
      return;
    }
    const server = connect(this.#target);
    const pair = { client, server, silent: false, held: [] };
    this.#pairs.add(pair);
    client.on('data', (bytes) => { this.#request(pair, bytes); });
    server.on('data', (bytes) => this.#reply(pair, bytes));
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
        this.#pairs.delete(pair);
      });
    }
  }

  #request(pair: Pair, bytes: Buffer): void {
    const { server, silent } = pair;
    if (this.#losing !== undefined && bytes.includes(this.#losing.text)) {
      pair.onLost = this.#losing.onLost;
      this.#losing = undefined;
    }
    const onTorn = this.#onTorn;
    if (silent) return;
    if (onTorn === undefined) {
      server.write(bytes);
    } else {
      this.#onTorn = undefined;
      server.write(bytes.subarray(0, bytes.length / 2), onTorn);
    }
  }

  #reply(pair: Pair, bytes: Buffer): void {
    if (pair.onLost !== undefined) {
      pair.client.destroy();
      pair.onLost();
      return;
    }
    if (pair.silent || this.dropReplies) return;
    if (this.delayMs === 0 && pair.held.length === 0) {
      pair.client.write(bytes);
      return;
    }
    pair.held.push(bytes);
    setTimeout(() => pair.client.write(pair.held.shift() ?? ''), this.delayMs);
  }
}
