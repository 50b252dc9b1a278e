/** The account of a benchmark: a figure counts only when every add is there, once. */

/** Throws unless the counters add up to what was added. */
export async function balance(keys: readonly string[], added: number, valueOf: (key: string) => number | Promise<number>): Promise<void> {
  let counted = 0;
  for (const key of keys) counted += await valueOf(key);
  if (counted !== added) throw new Error(`the account does not balance: ${counted} counted, ${added} added`);
}
