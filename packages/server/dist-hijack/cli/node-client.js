/** Talks to a running node, for the commands that do. */
import { errorTable, TallystickError } from 'tallystick';
import { formatAddress, loadConfig } from "../config/index.js";
import { Unreachable, UsageError } from "./terminal.js";
const PATIENCE_MS = 30_000;
const ANY_ADDRESS = new Set(['0.0.0.0', '::']);
/** The node that the options, the environment or the settings name. */
export async function serverOf(options, { env }) {
    const named = options['server'] ?? env['TALLYSTICK_SERVER'];
    if (named !== undefined)
        return checkedUrl(named);
    const { http } = await loadConfig({ flags: { config: options['config'] }, env });
    return `http://${formatAddress(ANY_ADDRESS.has(http.host) ? { ...http, host: '127.0.0.1' } : http)}`;
}
function checkedUrl(text) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url !== undefined && /^https?:$/.test(url.protocol))
        return url.origin;
    throw new UsageError(`server: expected a URL such as http://127.0.0.1:7070, got ${JSON.stringify(text)}`);
}
/**
 * Posts `body` to `path` of a node and returns the answer.
 *
 * @throws TallystickError when refused; Unreachable when no node answers.
 */
export async function post(server, path, body) {
    const response = await answerOf(server, path, body);
    const answer = await response.json().catch((cause) => {
        throw new Unreachable(`${server} answers, but not as a Tallystick node does`, cause);
    });
    if (!response.ok)
        throw refusal(answer);
    return answer;
}
async function answerOf(server, path, body) {
    const headers = { 'content-type': 'application/json' };
    try {
        return await fetch(server + path, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE_MS) });
    }
    catch (cause) {
        const { message, cause: reason } = cause;
        throw new Unreachable(`no node answers at ${server}: ${reason instanceof Error ? reason.message : message}`, cause);
    }
}
/** A node's refusal, of a call or of one item, as an error of the table. */
export function refusal({ code, msg }) {
    const name = Object.keys(errorTable).find((known) => errorTable[known].number === code);
    return new TallystickError(name ?? 'INTERNAL', withoutPlace(msg ?? 'the node gave no reason'));
}
/** A command sends its one counter as a batch of one. */
const withoutPlace = (message) => message.replace(/^items\[0\](?:: |\.)/, '');
/** The integer written in `text`. @throws UsageError */
export function integerOf(name, text) {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
    if (Number.isSafeInteger(value))
        return value;
    throw new UsageError(`${name}: expected an integer within ±(2^53 − 1), got ${JSON.stringify(text)}`);
}
/** Those of the named options that were given, as integers. */
export function integersOf(options, names) {
    const given = names.flatMap((name) => (options[name] === undefined ? [] : [[name, integerOf(name, options[name])]]));
    return Object.fromEntries(given);
}
/** Those of the named options that were given. */
export function textsOf(options, names) {
    return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}
//# sourceMappingURL=node-client.js.map