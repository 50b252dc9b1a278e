/** The settings, written down for people and programs out of the one table. */
import { flagOf, SETTING_NAMES, SETTINGS, variableOf } from "./settings.js";
/** Every setting, in the order of the table. */
export const reference = SETTING_NAMES.map((name) => {
    const { kind, fallback, meaning } = SETTINGS[name];
    const { expected, placeholder } = kind;
    return { name, flag: `--${flagOf(name)}`, variable: variableOf(name), expected, placeholder, default: fallback, meaning };
});
/** The table of the documentation, in Markdown. */
export function referenceTable() {
    const rows = reference.map(({ name, flag, variable, expected, default: fallback, meaning }) => `| \`${name}\` | \`${flag}\` | \`${variable}\` | ${expected} | ${fallback === '' ? 'none' : `\`${fallback}\``} | ${meaning} |`);
    return ['| in a file | flag | environment | value | default | meaning |', '|---|---|---|---|---|---|', ...rows].join('\n');
}
//# sourceMappingURL=reference.js.map