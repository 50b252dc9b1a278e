/** `tallystick settings`: the reference of the configuration. */
import { reference, referenceTable } from '../config/index.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** Prints every setting. */
export function settings(options: Readonly<Record<string, string>>, { out }: Terminal): Promise<number> {
  out(options['json'] === undefined ? referenceTable() : JSON.stringify(reference));
  return Promise.resolve(EXIT.ok);
}
