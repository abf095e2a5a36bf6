/** Audio uploads (product §17.6, §34.12), in bytes. */
export const audioChunkBytes = 350_000;
export const maxAudioBytes = 1024 ** 3;
/** Longer names are refused. */
export const maxFileName = 255;

/** Whether a file can be a WAV of this size, by its first bytes: RIFF/WAVE, with a length that is the file's own. */
export function looksLikeWav(head: Uint8Array, sizeBytes: number): boolean {
  const text = (from: number) => String.fromCharCode(...head.subarray(from, from + 4));
  if (head.length < 12 || text(0) !== 'RIFF' || text(8) !== 'WAVE') return false;
  const riffBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(4, true);
  const end = riffBytes + 8;
  // A chunk of odd length is followed by one padding byte.
  return end === sizeBytes || (riffBytes % 2 === 1 && end + 1 === sizeBytes);
}
