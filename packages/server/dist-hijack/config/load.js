/** Reads the configuration: flags over environment over file over defaults. */
import { readFile } from 'node:fs/promises';
import { TallystickError } from 'tallystick';
import { nearest } from "./nearest.js";
import { SETTING_NAMES, SETTINGS, flagOf, variableOf } from "./settings.js";
/** A variable that is no setting of a node: where the file is, and which node the commands talk to. */
const OTHER_VARIABLES = ['TALLYSTICK_CONFIG', 'TALLYSTICK_SERVER'];
const KNOWN_VARIABLES = [...SETTING_NAMES.map(variableOf), ...OTHER_VARIABLES];
/**
 * The checked settings of a node.
 *
 * @throws TallystickError `INVALID_CONFIG`, saying which setting, where it was written and what was expected.
 */
export async function loadConfig({ flags, env }) {
    const file = flags['config'] ?? env['TALLYSTICK_CONFIG'];
    const places = [{ values: flags, written: (name) => `--${flagOf(name)}` }, environment(env)];
    if (file !== undefined)
        places.push(await settingsFile(file));
    const config = Object.fromEntries(SETTING_NAMES.map((name) => [name, settingOf(name, places)]));
    return checkTogether(config, (name) => places.some(({ values }) => values[name] !== undefined));
}
/** Refuses settings that contradict each other, or would have no effect. */
function checkTogether(config, isGiven) {
    const { redis, store, workers } = config;
    if (redis !== undefined) {
        if (isGiven('store') && store !== 'redis')
            throw invalid('store', `store: expected redis, as redis is set, got ${store}`);
        return { ...config, store: 'redis' };
    }
    if (store === 'redis')
        throw invalid('redis', 'redis: expected the URL of a server, as store is redis, got nothing');
    if (isGiven('partitions'))
        throw invalid('partitions', `partitions: expected nothing with the ${store} store: only data in Redis is split`);
    if (workers === 1)
        return config;
    const why = store === 'sqlite' ? 'one process owns its data' : 'each process would have counters of its own';
    throw invalid('workers', `workers: expected 1 with the ${store} store, as ${why}, got ${workers}; --redis shares counters among processes`);
}
function settingOf(name, places) {
    const { kind, fallback } = SETTINGS[name];
    for (const { values, written } of places) {
        const value = values[name];
        if (value === undefined)
            continue;
        const read = kind.read(value);
        if (read !== undefined)
            return read;
        const got = kind.isSecret === true ? 'something else (not shown: it may hold a password)' : JSON.stringify(value);
        throw invalid(name, `${written(name)}: expected ${kind.expected}, got ${got}`);
    }
    return (fallback === '' ? undefined : kind.read(fallback));
}
function environment(env) {
    for (const variable of Object.keys(env)) {
        if (variable.startsWith('TALLYSTICK_') && !KNOWN_VARIABLES.includes(variable))
            throw unknown(variable, KNOWN_VARIABLES);
    }
    const values = Object.fromEntries(SETTING_NAMES.map((name) => [name, env[variableOf(name)]]));
    return { values, written: variableOf };
}
async function settingsFile(file) {
    const values = await parsedFile(file);
    if (typeof values !== 'object' || values === null || Array.isArray(values))
        throw invalid('config', `${file}: expected settings by name`);
    for (const name of Object.keys(values)) {
        if (!SETTING_NAMES.includes(name))
            throw unknown(name, SETTING_NAMES, ` (in ${file})`);
    }
    return { values: values, written: (name) => `${name} (in ${file})` };
}
async function parsedFile(file) {
    try {
        const text = await readFile(file, 'utf8');
        if (file.endsWith('.json'))
            return JSON.parse(text);
        const { parse } = await import('yaml');
        return parse(text) ?? {};
    }
    catch (cause) {
        throw invalid('config', `${file}: expected a file of settings in YAML or JSON: ${cause.message}`, cause);
    }
}
function unknown(name, names, where = '') {
    return invalid(name, `${name}${where}: no such setting; did you mean ${nearest(name, names)}?`);
}
function invalid(field, message, cause) {
    return new TallystickError('INVALID_CONFIG', message, { field, cause });
}
//# sourceMappingURL=load.js.map