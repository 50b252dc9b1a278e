/**
 * Frames: how records lie in a segment. A mark, the length and the CRC-32 of the text, the text (UTF-8).
 * A frame that was cut off by a crash is told from damage by what follows it: nothing, or a whole frame.
 */
import { crc32 } from 'node:zlib';
import { TallystickError } from '../../errors.ts';

/** "TSJ1" */
const MARK = Buffer.from('TSJ1');
const HEAD_BYTES = 12;

/** What a segment holds. */
export interface Frames {
  readonly texts: readonly string[];
  /** Bytes behind the last whole frame: what a crash cut off. */
  readonly tornBytes: number;
}

/** `text` as a frame. */
export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEAD_BYTES + length);
  MARK.copy(frame);
  frame.writeUInt32LE(length, 4);
  frame.write(text, HEAD_BYTES);
  frame.writeUInt32LE(crc32(frame.subarray(HEAD_BYTES)), 8);
  return frame;
}

/** The end of the whole frame at `start`; undefined when there is none. */
function endOf(bytes: Buffer, start: number): number | undefined {
  if (bytes.length - start < HEAD_BYTES || !bytes.subarray(start, start + MARK.length).equals(MARK)) return undefined;
  const textStart = start + HEAD_BYTES;
  const end = textStart + bytes.readUInt32LE(start + 4);
  if (end > bytes.length || crc32(bytes.subarray(textStart, end)) !== bytes.readUInt32LE(start + 8)) return undefined;
  return end;
}

/** Where the next whole frame after `start` begins; undefined when there is none. */
function nextFrame(bytes: Buffer, start: number): number | undefined {
  for (let at = bytes.indexOf(MARK, start + 1); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    if (endOf(bytes, at) !== undefined) return at;
  }
  return undefined;
}

/**
 * Reads a segment.
 *
 * @param name For errors.
 * @throws TallystickError `DATA_CORRUPT` when a whole frame lies behind one that is not.
 */
export function readFrames(bytes: Buffer, name: string): Frames {
  const texts: string[] = [];
  let at = 0;
  for (let end = endOf(bytes, at); end !== undefined; end = endOf(bytes, at)) {
    texts.push(bytes.toString('utf8', at + HEAD_BYTES, end));
    at = end;
  }
  const next = nextFrame(bytes, at);
  if (next === undefined) return { texts, tornBytes: bytes.length - at };
  throw new TallystickError('DATA_CORRUPT', `${name}: the bytes ${at} to ${next - 1} are damaged, and whole records follow them`);
}
