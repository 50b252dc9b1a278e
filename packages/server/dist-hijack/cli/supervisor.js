/**
 * Several processes that serve as one node: workers share the ports (node:cluster hands connections to them in
 * turn) and the counters in Redis. A worker that ends is replaced. The supervisor serves nothing itself.
 */
import cluster, {} from 'node:cluster';
import { checkCounters } from "../app/index.js";
import { announce } from "./announce.js";
import { CLOSE_GRACE_MS, stopBySignals, stoppingOnce } from "./stopping.js";
import { EXIT } from "./terminal.js";
/** A worker that ended is replaced after so long, so that one that can't start does not keep a processor busy. */
const REPLACE_AFTER_MS = 1000;
/** Runs the workers until told to stop, and then ends the process. */
export async function supervise(config, asJson, terminal) {
    await checkCounters(config.counters);
    const workers = new Workers(config, terminal);
    const stopping = stoppingOnce(() => workers.stop(), () => workers.stopAtOnce());
    stopBySignals(stopping);
    // The first one alone, so that what hinders all of them is said once.
    const beginning = await workers.start();
    if (typeof beginning === 'number')
        process.exit(beginning);
    await Promise.all(Array.from({ length: config.workers - 1 }, () => workers.keep()));
    announce(config, beginning, asJson, terminal);
    process.exit(await workers.ended);
}
class Workers {
    /** Resolves with an exit code when all have ended after they were stopped. */
    ended;
    #config;
    #terminal;
    #alive = new Set();
    #listening = new Set();
    #stopping = false;
    #exit = EXIT.ok;
    #end;
    constructor(config, terminal) {
        this.#config = config;
        this.#terminal = terminal;
        this.ended = new Promise((resolve) => {
            this.#end = resolve;
        });
    }
    /** Starts a worker. One that has listened is replaced when it ends. */
    start() {
        const worker = cluster.fork();
        this.#alive.add(worker);
        return new Promise((resolve) => {
            worker.once('message', (ports) => {
                this.#listening.add(worker);
                resolve(ports);
            });
            worker.once('exit', (code) => {
                resolve(code ?? EXIT.refused);
                this.#gone(worker, code ?? EXIT.refused);
            });
        });
    }
    /** Starts workers until one listens. */
    async keep() {
        while (!this.#stopping && typeof (await this.start()) === 'number') {
            await new Promise((resolve) => setTimeout(resolve, REPLACE_AFTER_MS));
        }
    }
    /** Has every worker drain. */
    stop() {
        this.#stopping = true;
        for (const worker of this.#alive) {
            // One that does not listen yet does not hear orders either.
            if (this.#listening.has(worker))
                this.#order(worker, 'stop');
            else
                worker.process.kill('SIGTERM');
        }
        const late = () => {
            for (const worker of this.#alive)
                worker.process.kill('SIGKILL');
        };
        setTimeout(late, this.#config.drainTimeoutMs + 2 * CLOSE_GRACE_MS);
        this.#endIfAllEnded();
    }
    stopAtOnce() {
        for (const worker of this.#alive)
            this.#order(worker, 'stop at once');
    }
    #order(worker, order) {
        if (worker.isConnected())
            worker.send(order);
    }
    #gone(worker, exit) {
        const hasListened = this.#listening.delete(worker);
        this.#alive.delete(worker);
        // One that never listened has taken nothing, so nothing depends on how it ended.
        if (hasListened && this.#stopping)
            this.#exit = Math.max(this.#exit, exit);
        else if (hasListened)
            this.#replace(worker, exit);
        this.#endIfAllEnded();
    }
    #replace(worker, exit) {
        this.#terminal.err(`tallystick: worker ${worker.process.pid} ended with ${exit}; another one takes its place`);
        setTimeout(() => void this.keep(), REPLACE_AFTER_MS);
    }
    #endIfAllEnded() {
        if (this.#stopping && this.#alive.size === 0)
            this.#end(this.#exit);
    }
}
//# sourceMappingURL=supervisor.js.map