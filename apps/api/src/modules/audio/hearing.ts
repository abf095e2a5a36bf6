import { createHash } from 'node:crypto';
import { createListener, type Loudness, type WavFormat } from '#src/lib/wav.ts';

/** What is told of a file while its bytes pass, from the first one on. */
export interface Hearing {
  format: WavFormat;
  /** Bytes that have passed. */
  position: number;
  push: (bytes: Buffer) => void;
  finish: () => Loudness & { sha256: Buffer };
}

export function createHearing(format: WavFormat): Hearing {
  const hash = createHash('sha256');
  const listener = createListener(format);
  const dataEnd = format.dataStart + format.dataBytes;
  return {
    format,
    position: 0,
    push(bytes) {
      hash.update(bytes);
      const from = Math.max(0, format.dataStart - this.position);
      const to = Math.min(bytes.length, dataEnd - this.position);
      if (from < to) listener.push(bytes.subarray(from, to));
      this.position += bytes.length;
    },
    finish: () => ({ ...listener.finish(), sha256: hash.digest() }),
  };
}
