/** `grpc.health.v1.Health`: whether this node, or one of its services, would serve a call now. */
import { status } from '@grpc/grpc-js';
import { healthService } from '@tallystick/client/wire';
const WATCH_EVERY_MS = 1000;
/** The health of a server and of its `services`. */
export class Health {
    #app;
    /** The name of the node as a whole is empty. */
    #services;
    /** What each was told last. */
    #watchers = new Map();
    #timer;
    #draining = false;
    constructor(app, services) {
        this.#app = app;
        this.#services = new Set(['', ...services]);
    }
    /** Check */
    check = (call, callback) => {
        const service = serviceOf(call.request);
        if (service === undefined)
            callback({ code: status.INVALID_ARGUMENT, details: 'the message is not valid protobuf' });
        else if (!this.#services.has(service))
            callback({ code: status.NOT_FOUND, details: `there is no service ${service} here` });
        else
            void this.#now().then((now) => callback(null, now));
    };
    /** Watch */
    watch = (call) => {
        const known = this.#services.has(serviceOf(call.request) ?? '?');
        if (!known)
            call.write('SERVICE_UNKNOWN');
        call.on('cancelled', () => this.#watchers.delete(call));
        this.#watchers.set(call, known ? 'UNKNOWN' : 'SERVICE_UNKNOWN');
        if (this.#draining)
            this.drain();
        else
            void this.#tell();
    };
    /** Says NOT_SERVING from now on, and ends every watch with it. */
    drain() {
        this.#draining = true;
        clearTimeout(this.#timer);
        for (const [watcher, before] of this.#watchers) {
            if (before !== 'SERVICE_UNKNOWN')
                watcher.write('NOT_SERVING');
            watcher.end();
        }
        this.#watchers.clear();
    }
    async #now() {
        return !this.#draining && (await this.#app.readiness()).ready ? 'SERVING' : 'NOT_SERVING';
    }
    /** Tells the watchers what changed, now and as long as there are any. */
    async #tell() {
        clearTimeout(this.#timer);
        const now = await this.#now();
        if (this.#draining)
            return;
        for (const [watcher, before] of this.#watchers) {
            if (before === now || before === 'SERVICE_UNKNOWN')
                continue;
            watcher.write(now);
            this.#watchers.set(watcher, now);
        }
        if (this.#watchers.size === 0)
            return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => void this.#tell(), WATCH_EVERY_MS).unref();
    }
}
function serviceOf(bytes) {
    try {
        return healthService.Check.parseRequest(bytes);
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=health.js.map