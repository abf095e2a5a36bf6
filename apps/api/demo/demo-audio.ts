import { sql } from 'kysely';
import type { Storage } from '#src/lib/storage.ts';
import { createLoudnessMeter, readWav } from '#src/lib/wav.ts';
import type { DemoBlock } from './catalogue.ts';
import { type DemoFile, demoKey, findFileIds, loadFiles } from './demo-files.ts';
import type { Target } from './load-catalogue.ts';
import { at, Random, seedOf } from './random.ts';

/**
 * The demo's audio: a few short melodies shared by the tracks, and files with faults for quality control. Sharing keeps
 * the first start fast; a shared file goes to the bin only when no live track uses it.
 */
const melodies = 24;
const rateHz = 44_100;
/** Semitones of two scales in which any order of notes sounds good. */
const scales = [
  [0, 3, 5, 7, 10, 12, 15],
  [0, 2, 4, 7, 9, 12, 14],
];
const tableSteps = 4096;
/** One period of a plucked string's waveform. */
const turn = Float32Array.from({ length: tableSteps }, (_, step) => {
  const angle = (step * 2 * Math.PI) / tableSteps;
  return 0.7 * Math.sin(angle) + 0.2 * Math.sin(2 * angle) + 0.1 * Math.sin(3 * angle);
});

/** Adds a fading note, slightly panned. */
function pluck(sound: Float32Array, note: { from: number; hz: number; loud: number; seconds: number; right: number }) {
  const start = Math.floor(note.from * rateHz);
  const frames = Math.min(Math.floor(note.seconds * rateHz), sound.length / 2 - start);
  const step = (note.hz * tableSteps) / rateHz;
  for (let frame = 0, phase = 0; frame < frames; frame += 1, phase += step) {
    const fade = (1 - frame / frames) ** 2 * Math.min(1, frame / 200);
    const value = (turn[Math.floor(phase) % tableSteps] as number) * fade * note.loud;
    const index = (start + frame) * 2;
    sound[index] = (sound[index] as number) + value * (1 - note.right);
    sound[index + 1] = (sound[index + 1] as number) + value * note.right;
  }
}

function compose(seed: string): Float32Array {
  const random = new Random(seedOf('audio', seed));
  const seconds = random.int(5, 8);
  const sound = new Float32Array(seconds * rateHz * 2);
  const scale = random.pick(scales);
  const root = 110 * 2 ** (random.int(0, 9) / 12);
  const beat = 60 / random.int(84, 132);
  const hzOf = (semitones: number) => root * 2 ** (semitones / 12);
  for (let from = 0, count = 0; from < seconds; from += beat / 2, count += 1) {
    if (count % 4 === 0) {
      pluck(sound, { from, hz: hzOf(random.pick([0, 5, 7])) / 2, loud: 0.45, seconds: beat * 2, right: 0.5 });
    }
    if (!random.chance(0.8)) continue;
    const hz = hzOf(random.pick(scale) + 12);
    pluck(sound, {
      from,
      hz,
      loud: 0.2 + random.fraction() * 0.25,
      seconds: 0.9,
      right: 0.3 + random.fraction() * 0.4,
    });
  }
  return sound;
}

/** The 44 bytes before 16-bit stereo samples in a WAV file. */
export function wavHeader(dataBytes: number, sampleRateHz = 44_100): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(sampleRateHz, 24);
  header.writeUInt32LE(sampleRateHz * 4, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

/** Stereo samples as a 16-bit WAV. */
function toWav(sound: Float32Array, sampleRateHz = rateHz): Buffer {
  const file = Buffer.alloc(44 + sound.length * 2);
  wavHeader(sound.length * 2, sampleRateHz).copy(file);
  const samples = new Int16Array(file.buffer, file.byteOffset + 44, sound.length);
  for (let index = 0; index < sound.length; index += 1) {
    samples[index] = Math.max(-32_768, Math.min(32_767, Math.round((sound[index] as number) * 32_767)));
  }
  return file;
}

const thinned = (sound: Float32Array) => sound.filter((_, index) => index % 4 < 2);

/** The files by name; the last three have faults for quality control. */
const files: Record<string, () => Buffer> = {
  ...Object.fromEntries(
    Array.from({ length: melodies }, (_, index) => [`melodie-${index + 1}`, () => toWav(compose(String(index + 1)))]),
  ),
  sature: () => toWav(compose('loud').map((sample) => sample * 5)),
  silence: () => toWav(new Float32Array(4 * rateHz * 2)),
  maquette: () => toWav(thinned(compose('draft')), rateHz / 2),
};

async function describe([name, compose]: [string, () => Buffer]): Promise<DemoFile> {
  const bytes = compose();
  const format = await readWav(bytes.length, async (from, length) => bytes.subarray(from, from + length));
  if (!format) throw new Error(`the demo's ${name} is no WAV`);
  const meter = createLoudnessMeter(format);
  meter.push(bytes.subarray(format.dataStart, format.dataStart + format.dataBytes));
  const { peaks, ...loudness } = meter.finish();
  const frames = format.dataBytes / (format.bytesPerSample * format.channels);
  return {
    storageKey: keyOf(name),
    kind: 'audio',
    originalName: `${name}.wav`,
    contentType: 'audio/wav',
    bytes,
    createdAt: '2026-11-01T09:00:00Z',
    columns: {
      durationMs: Math.round((frames * 1000) / format.sampleRateHz),
      sampleRateHz: format.sampleRateHz,
      bitDepth: format.bitDepth,
      channels: format.channels,
      peaks: `\\x${peaks.toString('hex')}`,
      ...loudness,
    },
  };
}

const keyOf = (name: string) => demoKey('audio', 'wav', name);

/** The file of a track; undefined for the few without audio. */
function soundOf(status: string, release: number, position: number): string | undefined {
  const place = release * 31 + position * 7;
  const isOut = status === 'delivered' || status === 'closed';
  if (status === 'draft' || (!isOut && place % 6 === 1)) return undefined;
  if (!isOut && place % 23 === 2) return 'sature';
  if (!isOut && place % 29 === 3) return 'silence';
  if (place % 41 === 4) return 'maquette';
  return `melodie-${1 + (place % melodies)}`;
}

/** Sets the audio of a block's tracks; all blocks share the first block's files. */
export async function loadAudio(
  target: Target,
  storage: Storage,
  block: DemoBlock,
  trackIds: readonly (readonly number[])[],
): Promise<void> {
  const ids =
    block.index === 0
      ? await loadFiles(target, storage, await Promise.all(Object.entries(files).map(describe)))
      : await findFileIds(target.trx, Object.keys(files).map(keyOf));
  const sounds = block.releases.flatMap((release, index) =>
    release.isDeleted
      ? []
      : at(trackIds, index).flatMap((trackId, position) => {
          const name = soundOf(release.status, index, position);
          const fileId = name === undefined ? undefined : ids.get(keyOf(name));
          return fileId === undefined ? [] : [{ trackId, fileId }];
        }),
  );
  await sql`
    UPDATE tracks t SET audio_file_id = a.file_id
      FROM unnest(${sounds.map(({ trackId }) => trackId)}::bigint[], ${sounds.map(({ fileId }) => fileId)}::bigint[])
           AS a (track_id, file_id)
     WHERE t.id = a.track_id`.execute(target.trx);
}
