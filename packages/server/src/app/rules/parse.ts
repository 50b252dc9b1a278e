/** From the text of a rules file to its rules. */
import { createHash } from 'node:crypto';
import { compileRules, type CompiledRules } from './compile.ts';
import type { Problem } from './problems.ts';
import type { Resolve } from './rule.ts';

/** Rules, and which they are. */
export interface RulesVersion {
  readonly rules: CompiledRules;
  /** The first twelve digits of the SHA-256 of the file: the same on every node that has the same file. */
  readonly version: string;
}

/** Rules, or all that is wrong with them. */
export type Parsed = RulesVersion | { readonly problems: readonly Problem[] };

const MAX_BYTES = 8 * 1024 * 1024;

/** The rules in `text`, which is YAML or JSON. */
export async function parseRules(text: string, resolve: Resolve): Promise<Parsed> {
  if (Buffer.byteLength(text) > MAX_BYTES) return { problems: [{ path: '', message: `expected at most ${MAX_BYTES} bytes` }] };
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  if (document.errors.length > 0) return { problems: document.errors.map(({ message }) => ({ path: '', message: message.split('\n', 1)[0] as string })) };
  const compiled = compileRules(plain(document), resolve);
  return 'problems' in compiled ? compiled : { rules: compiled, version: createHash('sha256').update(text).digest('hex').slice(0, 12) };
}

/** Aliases that would expand to a great many nodes are refused, and read as nothing. */
function plain(document: { toJS: () => unknown }): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}
