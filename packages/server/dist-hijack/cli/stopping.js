/** How a process is told to stop. */
/** How much longer than `drainTimeoutMs` the closing of the store itself may take. */
export const CLOSE_GRACE_MS = 5000;
/** `begin`, which is called once. */
export function stoppingOnce(begin, atOnce) {
    let stopping = false;
    return {
        begin: (signal) => {
            if (!stopping)
                begin(signal);
            stopping = true;
        },
        atOnce,
    };
}
/** The first signal begins, a second one ends at once. */
export function stopBySignals({ begin, atOnce }) {
    let signals = 0;
    const onSignal = (signal) => {
        if (++signals > 1)
            atOnce();
        else
            begin(signal);
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
        process.on(signal, onSignal);
}
//# sourceMappingURL=stopping.js.map