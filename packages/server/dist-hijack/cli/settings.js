/** `tallystick settings`: the reference of the configuration. */
import { reference, referenceTable } from "../config/index.js";
import { EXIT } from "./terminal.js";
/** Prints every setting. */
export function settings(options, { out }) {
    out(options['json'] === undefined ? referenceTable() : JSON.stringify(reference));
    return Promise.resolve(EXIT.ok);
}
//# sourceMappingURL=settings.js.map