import { integersOf, post, serverOf, textsOf } from "./node-client.js";
import { EXIT } from "./terminal.js";
/** Prints the values of `keys`. */
export async function get(options, terminal, keys) {
    const server = await serverOf(options, terminal);
    const which = { ...textsOf(options, ['type']), ...integersOf(options, ['windowMs', 'slices']) };
    const { results } = (await post(server, '/v1/counters/get', { keys: keys.map((key) => ({ key, ...which })) }));
    for (const result of results) {
        const line = results.length === 1 ? String(result.value) : `${result.value}\t${result.key}`;
        terminal.out(options['json'] === undefined ? line : JSON.stringify(result));
    }
    return EXIT.ok;
}
//# sourceMappingURL=get.js.map