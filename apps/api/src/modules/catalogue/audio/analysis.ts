import { createHash } from 'node:crypto';
import { createLoudnessMeter, type Loudness, type WavFormat } from '#src/lib/wav.ts';

/** Computed as the bytes arrive in order. */
export interface AudioAnalysis {
  format: WavFormat;
  position: number;
  push: (bytes: Buffer) => void;
  finish: () => Loudness & { sha256: Buffer };
}

export function createAnalysis(format: WavFormat): AudioAnalysis {
  const hash = createHash('sha256');
  const meter = createLoudnessMeter(format);
  const dataEnd = format.dataStart + format.dataBytes;
  return {
    format,
    position: 0,
    push(bytes) {
      hash.update(bytes);
      const from = Math.max(0, format.dataStart - this.position);
      const to = Math.min(bytes.length, dataEnd - this.position);
      if (from < to) meter.push(bytes.subarray(from, to));
      this.position += bytes.length;
    },
    finish: () => ({ ...meter.finish(), sha256: hash.digest() }),
  };
}
