/**
 * Request bodies: UTF-8 JSON of which nothing is changed silently. `JSON.parse` alone would replace bytes
 * that are not UTF-8 (two keys become one) and round numbers (`4503599627370497.4` arrives as an integer).
 */
import { isUtf8 } from 'node:buffer';
import { TallystickError } from 'tallystick';
/** A number that `JSON.parse` may round to an integer has this many digits, or a negative exponent. */
const MAY_BE_ROUNDED = /[0-9][0-9.]{15}|[0-9][eE]-/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** No request is deeper than this, so nothing deeper needs a path. */
const MAX_DEPTH = 6;
/**
 * Parses a body; an empty one is undefined.
 *
 * @throws TallystickError `MALFORMED`, or `INVALID_AMOUNT` naming the number that would have been rounded.
 */
export function parseJson(body) {
    if (body.length === 0)
        return undefined;
    if (!isUtf8(body))
        throw new TallystickError('MALFORMED', 'the body is not UTF-8');
    const text = body.toString();
    const value = parse(text);
    if (MAY_BE_ROUNDED.test(text))
        refuseRounded(text);
    return value;
}
function parse(text) {
    try {
        return JSON.parse(text);
    }
    catch (cause) {
        throw new TallystickError('MALFORMED', `the body is not JSON: ${cause.message}`, { cause });
    }
}
/** A loop, because `/0+$/` takes quadratic time where a million zeros do not end the number. */
function withoutTrailingZeros(digits) {
    let end = digits.length;
    while (digits[end - 1] === '0')
        end--;
    return digits.slice(0, end);
}
/** Whether a number with a fraction is read as an integer. */
function isRounded(literal) {
    const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
    const digits = withoutTrailingZeros(whole + fraction);
    const dropped = whole.length + fraction.length - digits.length;
    const hasFraction = /[1-9]/.test(digits) && Number(exponent) - fraction.length + dropped < 0;
    return hasFraction && Number.isInteger(Number(literal));
}
/** Puts a marker in the place of the first rounded number and looks where it comes out. */
function refuseRounded(text) {
    let literal;
    const marker = `rounded ${crypto.randomUUID()}`;
    const marked = text.replace(STRING_OR_NUMBER, (token) => {
        if (literal !== undefined || token.startsWith('"') || !isRounded(token))
            return token;
        literal = token;
        return JSON.stringify(marker);
    });
    if (literal === undefined)
        return;
    const field = pathOf(JSON.parse(marked), marker, '', 0);
    const message = `${field ?? 'body'}: expected an integer, got ${literal.slice(0, 40)}`;
    throw new TallystickError('INVALID_AMOUNT', message, field === undefined ? {} : placeOf(field));
}
function placeOf(field) {
    const index = /^[^.[]+\[(\d+)\]/.exec(field)?.[1];
    return index === undefined ? { field } : { field, index: Number(index) };
}
function pathOf(value, marker, path, depth) {
    if (value === marker)
        return path;
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH)
        return undefined;
    for (const [name, part] of Object.entries(value)) {
        const step = Array.isArray(value) ? `[${name}]` : `${path === '' ? '' : '.'}${name}`;
        const found = pathOf(part, marker, path + step, depth + 1);
        if (found !== undefined)
            return found;
    }
    return undefined;
}
//# sourceMappingURL=json.js.map