import { parseAddress } from "./address.js";
import { parseRedisTarget, REDIS_URL } from "./redis-target.js";
/** `host:port`. */
export const address = {
    expected: 'host:port',
    placeholder: 'host:port',
    read: (value) => (typeof value === 'string' ? parseAddress(value) : undefined),
};
/** Where Redis is. */
export const redisUrl = {
    expected: REDIS_URL,
    placeholder: 'url',
    read: (value) => (typeof value === 'string' ? parseRedisTarget(value) : undefined),
    isSecret: true,
};
/** A file or folder. */
export const path = {
    expected: 'a path',
    placeholder: 'path',
    read: (value) => (typeof value === 'string' && value !== '' && !value.includes('\0') ? value : undefined),
};
/** A whole number within bounds. */
export function integer(least, most) {
    const inBounds = (value) => Number.isSafeInteger(value) && value >= least && value <= most;
    return {
        expected: `an integer from ${least} to ${most}`,
        placeholder: 'n',
        read: (value) => {
            const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
            return typeof number === 'number' && inBounds(number) ? number : undefined;
        },
    };
}
/** One of a few names. */
export function choice(...names) {
    return {
        expected: `one of ${names.join(', ')}`,
        placeholder: names.join('|'),
        read: (value) => names.find((name) => name === value),
    };
}
/** Counter options by key pattern; as text, a JSON object. What the options mean is the library's to check. */
export const counters = {
    expected: 'an object of counter options by key pattern (as text: JSON)',
    placeholder: 'json',
    read: (value) => {
        const parsed = typeof value === 'string' ? parsedJson(value) : value;
        const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
        return isObject && Object.values(parsed).every((options) => typeof options === 'object' && options !== null)
            ? parsed
            : undefined;
    },
};
function parsedJson(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=kinds.js.map