/** A RIFF chunk, padded to an even length by default. */
export function riffChunk(id: string, body: Buffer, claimedBytes = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 0, 'latin1');
  head.writeUInt32LE(claimedBytes, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

export interface WavOptions {
  tag?: number;
  channels?: number;
  sampleRateHz?: number;
  bits?: number;
  blockAlign?: number;
  byteRate?: number;
  /** For WAVE_FORMAT_EXTENSIBLE: the inner format and the significant bits. */
  subFormat?: { tag: number; validBits: number };
  /** Bytes after the first sixteen of `fmt `. */
  formatTail?: Buffer;
  /** The sample bytes. */
  samples?: Buffer;
  /** A false length for the header. */
  claimedDataBytes?: number;
  claimedRiffBytes?: number;
  id?: string;
  beforeFormat?: Buffer;
  beforeData?: Buffer;
  afterData?: Buffer;
  afterRiff?: Buffer;
}

const subFormatTail = Buffer.from('000000001000800000aa00389b71', 'hex');

/** A WAV file, valid or not. */
export function buildWav(options: WavOptions = {}): Buffer {
  const { tag = 1, channels = 2, sampleRateHz = 44_100, bits = 16, subFormat } = options;
  const blockAlign = options.blockAlign ?? (channels * bits) / 8;
  const format = Buffer.alloc(16);
  format.writeUInt16LE(subFormat ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(sampleRateHz, 4);
  format.writeUInt32LE(options.byteRate ?? sampleRateHz * blockAlign, 8);
  format.writeUInt16LE(blockAlign, 12);
  format.writeUInt16LE(bits, 14);
  let tail = options.formatTail ?? Buffer.alloc(0);
  if (subFormat) {
    tail = Buffer.alloc(24);
    tail.writeUInt16LE(22, 0);
    tail.writeUInt16LE(subFormat.validBits, 2);
    tail.writeUInt16LE(subFormat.tag, 8);
    subFormatTail.copy(tail, 10);
  }
  const samples = options.samples ?? tone(4410, channels);
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    options.beforeFormat ?? Buffer.alloc(0),
    riffChunk('fmt ', Buffer.concat([format, tail])),
    options.beforeData ?? Buffer.alloc(0),
    riffChunk('data', samples, options.claimedDataBytes ?? samples.length),
    options.afterData ?? Buffer.alloc(0),
  ]);
  const head = Buffer.alloc(8);
  head.write(options.id ?? 'RIFF', 0, 'latin1');
  head.writeUInt32LE(options.claimedRiffBytes ?? body.length, 4);
  return Buffer.concat([head, body, options.afterRiff ?? Buffer.alloc(0)]);
}

/** 16-bit frames of a 441 Hz sine; amplitudes above 1 are clipped. */
export function tone(frames: number, channels = 2, amplitude = 0.5): Buffer {
  const samples = Buffer.alloc(frames * channels * 2);
  for (let frame = 0; frame < frames; frame += 1) {
    const value = Math.max(-1, Math.min(1, amplitude * Math.sin((frame * 2 * Math.PI) / 100)));
    for (let channel = 0; channel < channels; channel += 1) {
      samples.writeInt16LE(Math.round(value * 32_767), (frame * channels + channel) * 2);
    }
  }
  return samples;
}
