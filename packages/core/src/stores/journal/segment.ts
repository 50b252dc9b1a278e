/** A segment: one file that frames are appended to. What arrives while the disk is busy is written and synced at once. */
import { open, type FileHandle } from 'node:fs/promises';

interface Waiting {
  readonly frame: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Segment {
  readonly path: string;
  /** Of each lane that has records here, the last seq. */
  readonly lastSeqs = new Map<string, number>();
  readonly #file: FileHandle;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #bytes = 0;
  #fault: Error | undefined;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Creates the file; fails when there is one. */
  static async create(path: string): Promise<Segment> {
    return new Segment(path, await open(path, 'ax', 0o600));
  }

  /** Bytes written or about to be. */
  get bytes(): number {
    return this.#bytes;
  }

  get isBroken(): boolean {
    return this.#fault !== undefined;
  }

  /** Resolves when the frame is on disk. After a fault nothing more is: it would stand behind a frame that may be cut off. */
  append(frame: Buffer): Promise<void> {
    this.#bytes += frame.length;
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frame, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Closes the file when all is written. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0 && this.#fault === undefined) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#sync(batch).catch((error: unknown) => this.#fail(batch, error as Error));
    }
    this.#writing = undefined;
  }

  async #sync(batch: readonly Waiting[]): Promise<void> {
    await this.#file.appendFile(Buffer.concat(batch.map(({ frame }) => frame)));
    await this.#file.datasync();
    for (const { resolve } of batch) resolve();
  }

  #fail(batch: readonly Waiting[], error: Error): void {
    this.#fault = error;
    for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error);
  }
}
