/** Finds what was probably meant. */
/** Single-character edits from `a` to `b` (Levenshtein). */
function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, column) => column);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++) {
            const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
            next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
        }
        row = next;
    }
    return row[b.length];
}
/** The one of `names` that is nearest to `name`, letter case aside. */
export function nearest(name, names) {
    const edits = (other) => distance(name.toLowerCase(), other.toLowerCase());
    return [...names].sort((a, b) => edits(a) - edits(b))[0];
}
//# sourceMappingURL=nearest.js.map