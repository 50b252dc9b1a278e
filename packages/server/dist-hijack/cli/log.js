const STANDARD_ERROR = 2;
/** A log of `level`. It writes at once, so that nothing is missing after a crash. */
export async function createLog(level) {
    const { default: pino } = await import('pino');
    const serializers = { error: pino.stdSerializers.err, err: pino.stdSerializers.err };
    const log = pino({ level, base: { pid: process.pid }, serializers }, pino.destination({ fd: STANDARD_ERROR, sync: true }));
    return log;
}
//# sourceMappingURL=log.js.map