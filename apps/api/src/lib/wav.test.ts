import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { buildWav, riffChunk, tone, type WavOptions } from '#test/waves.ts';
import { createLoudnessMeter, guessWav, readWav } from './wav.ts';

const read = (file: Buffer) => readWav(file.length, async (at, length) => file.subarray(at, at + length));
const floats = (values: number[]) => Buffer.from(new Float32Array(values).buffer);

const accepted: [string, WavOptions][] = [
  ['16 bits', {}],
  ['mono', { channels: 1 }],
  ['24 bits', { bits: 24, samples: Buffer.alloc(6 * 100, 1) }],
  ['32 bits', { bits: 32, samples: Buffer.alloc(8 * 100, 1) }],
  ['32-bit float', { bits: 32, tag: 3, samples: floats(Array(200).fill(0.25)) }],
  ['22 kHz, which quality control reports', { sampleRateHz: 22_050 }],
  ['192 kHz', { sampleRateHz: 192_000 }],
  ['eight channels', { channels: 8, samples: tone(100, 8) }],
  ['extensible PCM', { subFormat: { tag: 1, validBits: 16 } }],
  ['extensible, 20 bits in 24', { subFormat: { tag: 1, validBits: 20 }, bits: 24, samples: Buffer.alloc(600, 1) }],
  ['extensible float', { subFormat: { tag: 3, validBits: 32 }, bits: 32, samples: floats(Array(200).fill(0.25)) }],
  ['an 18-byte format', { formatTail: Buffer.alloc(2) }],
  [
    'LIST, bext and iXML before the sound',
    {
      beforeData: Buffer.concat([
        riffChunk('LIST', Buffer.concat([Buffer.from('INFO'), riffChunk('ISFT', Buffer.from('Lavf'))])),
        riffChunk('bext', Buffer.alloc(602)),
        riffChunk('iXML', Buffer.from('<BWFXML/>')),
      ]),
    },
  ],
  ['JUNK before the format', { beforeFormat: riffChunk('JUNK', Buffer.alloc(28)) }],
  ['a cue after the sound', { afterData: riffChunk('cue ', Buffer.alloc(28)) }],
  ['sound of an odd length', { bits: 24, channels: 1, samples: Buffer.alloc(3 * 101, 1) }],
];

describe('a valid WAV', () => {
  it.each(accepted)('%s is read as another library reads it', async (_, options) => {
    const file = buildWav(options);
    const found = await read(file);
    const { format } = await parseBuffer(file, { mimeType: 'audio/wav' });
    expect(format.container).toBe('WAVE');
    expect(found).toMatchObject({ sampleRateHz: format.sampleRate, channels: format.numberOfChannels });
    const seconds = found && found.dataBytes / (found.bytesPerSample * found.channels) / found.sampleRateHz;
    expect(seconds).toBeCloseTo(format.duration ?? 0, 6);
    expect(found && file.subarray(found.dataStart, found.dataStart + found.dataBytes)).toEqual(
      options.samples ?? tone(4410, options.channels),
    );
  });
  it.each(accepted)('%s is recognised once its beginning up to the sound is there', async (_, options) => {
    const file = buildWav(options);
    const found = await read(file);
    const start = found?.dataStart ?? 0;
    for (const length of [start, start + 1, file.length]) {
      expect(await guessWav(file.length, file.subarray(0, length))).toEqual(found);
    }
    for (const length of [0, 11, 12, 20, 40, start - 1]) {
      expect(await guessWav(file.length, file.subarray(0, length))).toBeUndefined();
    }
  });
  it('may lack its last padding byte, as some programs write it', async () => {
    const samples = Buffer.alloc(303, 1);
    const whole = buildWav({ bits: 24, channels: 1, samples });
    const file = whole.subarray(0, -1);
    file.writeUInt32LE(file.length - 8, 4);
    expect(await read(file)).toMatchObject({ dataBytes: 303, bitDepth: 24 });
  });
});

const refused: [string, Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('Ceci n’est pas un fichier audio, mais il en a la taille : quarante-quatre octets et plus.')],
  ['a header alone', buildWav().subarray(0, 44)],
  ['a header without samples', buildWav({ samples: Buffer.alloc(0) })],
  ['more samples than there are', buildWav({ claimedDataBytes: 1_000_000 })],
  ['fewer samples than there are, the rest being junk', buildWav({ claimedDataBytes: 400 })],
  ['no samples, says the header', buildWav({ claimedDataBytes: 0 })],
  ['0xFFFFFFFF samples, as streams say', buildWav({ claimedDataBytes: 0xffffffff, claimedRiffBytes: 0xffffffff })],
  ['a length beyond the file', buildWav({ claimedRiffBytes: 20_000_000 })],
  ['a length short of the file', buildWav({ claimedRiffBytes: 100 })],
  ['junk after the end', buildWav({ afterRiff: Buffer.from('TAG and some more bytes here') })],
  ['RF64', buildWav({ id: 'RF64', claimedRiffBytes: 0xffffffff, beforeFormat: riffChunk('ds64', Buffer.alloc(28)) })],
  ['BW64', buildWav({ id: 'BW64' })],
  ['big-endian RIFX', buildWav({ id: 'RIFX' })],
  ['W64', Buffer.concat([Buffer.from('726966662e91cf11a5d628db04c10000', 'hex'), Buffer.alloc(200)])],
  [
    'AIFF',
    Buffer.concat([Buffer.from('FORM'), Buffer.from([0, 0, 0, 100]), Buffer.from('AIFFCOMM'), Buffer.alloc(92)]),
  ],
  [
    'AVI, a RIFF too',
    Buffer.concat([Buffer.from('RIFF'), Buffer.from([100, 0, 0, 0]), Buffer.from('AVI '), Buffer.alloc(96)]),
  ],
  ['MP3', Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), Buffer.alloc(1000, 0xfb)])],
  ['FLAC', Buffer.concat([Buffer.from('fLaC\0\0\0\x22', 'latin1'), Buffer.alloc(500, 3)])],
  ['OGG', Buffer.concat([Buffer.from('OggS\0\x02', 'latin1'), Buffer.alloc(500, 3)])],
  ['ADPCM inside', buildWav({ tag: 2, bits: 4, blockAlign: 256, formatTail: Buffer.alloc(2) })],
  ['A-law inside', buildWav({ tag: 6, bits: 8 })],
  ['MP3 inside', buildWav({ tag: 0x55, bits: 0, blockAlign: 1, formatTail: Buffer.alloc(2) })],
  ['extensible A-law', buildWav({ subFormat: { tag: 6, validBits: 16 } })],
  ['8 bits', buildWav({ bits: 8 })],
  ['64-bit float', buildWav({ tag: 3, bits: 64 })],
  ['16-bit float', buildWav({ tag: 3 })],
  ['more bits than there is place for', buildWav({ subFormat: { tag: 1, validBits: 24 } })],
  ['no channel', buildWav({ channels: 0, blockAlign: 4 })],
  ['nine channels', buildWav({ channels: 9, samples: tone(100, 9) })],
  ['0 Hz', buildWav({ sampleRateHz: 0 })],
  ['10 MHz', buildWav({ sampleRateHz: 10_000_000 })],
  ['an odd block', buildWav({ blockAlign: 3 })],
  ['another byte rate', buildWav({ byteRate: 1 })],
  ['half a frame at the end', buildWav({ samples: Buffer.alloc(402, 1) })],
  ['samples before their format', buildWav({ beforeFormat: riffChunk('data', tone(10)) })],
  ['samples twice', buildWav({ afterData: riffChunk('data', tone(10)) })],
  ['two formats', buildWav({ beforeData: buildWav().subarray(12, 36) })],
  ['a chunk without a name', buildWav({ beforeData: riffChunk('\0\0\0\0', Buffer.alloc(4)) })],
  [
    'thousands of empty chunks',
    buildWav({ beforeData: Buffer.concat(Array(5000).fill(riffChunk('JUNK', Buffer.alloc(0)))) }),
  ],
  ['a chunk cut off', buildWav({ afterData: Buffer.from('cue') })],
];

describe('an invalid WAV', () => {
  it.each(refused)('%s is refused', async (_, file) => {
    expect(await read(file)).toBeUndefined();
  });
});

async function listen(options: WavOptions, pieceBytes = 4096) {
  const file = buildWav(options);
  const format = await read(file);
  if (!format) throw new Error('no WAV');
  const listener = createLoudnessMeter(format);
  const data = file.subarray(format.dataStart, format.dataStart + format.dataBytes);
  for (let at = 0; at < data.length; at += pieceBytes) listener.push(data.subarray(at, at + pieceBytes));
  return listener.finish();
}

describe('the analysis', () => {
  it('is independent of chunk sizes', async () => {
    for (const options of [{}, { bits: 24, samples: tone(3000, 3) }, { channels: 8, samples: tone(777, 8) }]) {
      const whole = await listen(options, 1_000_000);
      for (const pieceBytes of [1, 7, 1024, 4095]) expect(await listen(options, pieceBytes)).toEqual(whole);
    }
  });
  it('has one pair per step: the minimum and maximum over all channels', async () => {
    const left = Buffer.alloc(4 * 3000);
    for (let frame = 0; frame < 3000; frame += 1) {
      left.writeInt16LE(frame === 5 ? 16_384 : 0, frame * 4);
      left.writeInt16LE(frame === 2999 ? -32_768 : 0, frame * 4 + 2);
    }
    const { peaks, peakAmplitude } = await listen({ samples: left });
    expect(peaks.length).toBe(3000);
    expect([peaks.readInt8(4), peaks.readInt8(5)]).toEqual([0, 64]);
    expect([peaks.readInt8(2998), peaks.readInt8(2999)]).toEqual([-127, 0]);
    expect([...peaks].filter((value) => value !== 0).length).toBe(2);
    expect(peakAmplitude).toBe(1);
  });
  it('has at most 1500 steps, and no more than frames', async () => {
    expect((await listen({ samples: tone(100_000) })).peaks.length).toBeLessThanOrEqual(3000);
    expect((await listen({ samples: tone(3) })).peaks.length).toBe(6);
  });
  it.each([
    ['a clean tone', { samples: tone(10_000, 2, 0.9) }, false, false],
    ['a tone that touches full scale', { samples: tone(10_000, 2, 1) }, false, false],
    ['a tone cut at full scale', { samples: tone(10_000, 2, 1.5) }, true, false],
    ['one channel cut', { channels: 1, samples: tone(10_000, 1, 1.5) }, true, false],
    [
      'a float tone beyond full scale',
      { tag: 3, bits: 32, samples: floats(Array.from({ length: 8000 }, (_, i) => 1.4 * Math.sin(i / 20))) },
      true,
      false,
    ],
    ['silence', { samples: Buffer.alloc(40_000) }, false, true],
    ['a whisper under -60 dBFS', { samples: tone(10_000, 2, 0.0009) }, false, true],
    ['just above -60 dBFS', { samples: tone(10_000, 2, 0.0012) }, false, false],
    ['float NaN and nothing else', { tag: 3, bits: 32, samples: floats(Array(2000).fill(Number.NaN)) }, false, true],
    [
      '20 bits at full scale in 24',
      {
        subFormat: { tag: 1, validBits: 20 },
        bits: 24,
        channels: 1,
        samples: Buffer.concat(
          Array.from({ length: 4000 }, (_, i) => Buffer.from(i % 10 < 5 ? 'f0ff7f' : '000000', 'hex')),
        ),
      },
      true,
      false,
    ],
  ] as [string, WavOptions, boolean, boolean][])('%s', async (_, options, isClipped, isSilent) => {
    expect(await listen(options)).toMatchObject({ isClipped, isSilent });
  });
});
