/**
 * A worker's end of the line to its supervisor. A worker is one of several processes that share the ports of a
 * node; a node that is alone has no supervisor.
 */
import cluster from 'node:cluster';
/** Whether this process was started by a supervisor. */
export const isWorker = cluster.isWorker;
/** Says that this worker listens. */
export function tellSupervisor(ports) {
    process.send?.(ports);
}
/** Lets a worker that can't start end by itself: its line to the supervisor would keep it. */
export function leaveSupervisor() {
    process.channel?.unref();
}
/**
 * Stops at the supervisor's word. A terminal and a service manager signal every process of a group, so a signal
 * here is no second word, and those of a terminal are left to the supervisor.
 */
export function stopByOrder({ begin, atOnce }) {
    process.on('message', (order) => {
        if (order === 'stop')
            begin('SIGTERM');
        else
            atOnce();
    });
    process.on('SIGTERM', begin);
    for (const signal of ['SIGINT', 'SIGHUP'])
        process.on(signal, () => undefined);
}
//# sourceMappingURL=worker.js.map