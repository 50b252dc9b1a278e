/**
 * What is remembered of a key, so that it is looked up once on its way from a caller to a value in memory. A
 * memo only spares a look-up: whoever reads a place in it checks first that the place is still its own.
 */
export class Memo {
  readonly key: string;
  /** The number of the open batch that has an entry which may take in amounts for the key, 0 for none; and where. */
  batch = 0;
  place = 0;
  /** Who keeps the value of the key at `slot`, as long as that one says so. */
  holder: object | undefined = undefined;
  slot = 0;

  constructor(key: string) {
    this.key = key;
  }
}
