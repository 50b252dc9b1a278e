/** A function that gives the declared type of a key: a whole key first, else the longest beginning. */
export function declaredTypes(declarations) {
    const whole = new Map();
    const beginnings = [];
    for (const [pattern, { type = 'simple' }] of Object.entries(declarations)) {
        if (pattern.endsWith('*'))
            beginnings.push([pattern.slice(0, -1), type]);
        else
            whole.set(pattern, type);
    }
    beginnings.sort(([a], [b]) => b.length - a.length);
    return (key) => whole.get(key) ?? beginnings.find(([beginning]) => key.startsWith(beginning))?.[1] ?? 'simple';
}
//# sourceMappingURL=counter-type.js.map