import { coverQuality, coverSidePixels, coverWidths } from '@regie/contract/covers.ts';
import sharp from 'sharp';
import { compareThroughput } from './lists.ts';
import type { Client } from './world.ts';

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Photo-like detail: blurred noise over a gradient. */
export async function makeCover(): Promise<Buffer> {
  const small = 250;
  const pixels = Buffer.alloc(small * small * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at * 2_654_435_761 + (at >> 3) * 97) >>> 24;
  return sharp(pixels, { raw: { width: small, height: small, channels: 3 } })
    .resize(coverSidePixels, coverSidePixels, { kernel: 'cubic' })
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** The same pictures with the library alone: one decode, then each width. */
async function makePictures(cover: Buffer): Promise<Buffer[]> {
  const side = Math.max(...coverWidths);
  const { data, info } = await sharp(cover, { failOn: 'error' })
    .autoOrient()
    .resize(side, side)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  return Promise.all(
    coverWidths.map((width) => sharp(data, { raw }).resize(width, width).webp({ quality: coverQuality }).toBuffer()),
  );
}

async function upload(client: Client, releaseId: number, cover: Buffer): Promise<string> {
  const form = new FormData();
  form.append('cover', new Blob([new Uint8Array(cover)]), 'cover.jpg');
  const response = await fetch(`${client.address}/api/release/${releaseId}/edit/cover`, {
    method: 'PUT',
    headers: client.headers,
    body: form,
  });
  const answer = (await response.json()) as { code: string; data: { coverDetails: string } };
  if (answer.code !== 'success') throw new Error(`the cover was answered ${response.status}`);
  return (JSON.parse(answer.data.coverDetails) as { url: string }).url;
}

/** Milliseconds of an upload with all its pictures, and of the pictures alone, alternating. */
export async function measureCoverUpload(client: Client, cover: Buffer, repeats: number) {
  const times: { upload: number[]; bare: number[] } = { upload: [], bare: [] };
  let url = '';
  for (let round = 0; round < repeats + 1; round += 1) {
    const start = performance.now();
    url = await upload(client, 1, cover);
    const between = performance.now();
    await makePictures(cover);
    if (round === 0) continue;
    times.upload.push(between - start);
    times.bare.push(performance.now() - between);
  }
  return { uploadMs: median(times.upload), bareMs: median(times.bare), url };
}

/** Requests per second of a cached picture, and of the same bytes read from disk. */
export async function comparePicture(client: Client, url: string, seconds: number): Promise<[number, number]> {
  const key = url.split('/').at(-1);
  const paths: [string, string] = [`/img/${key}?w=365`, `/bench/picture/${key}`];
  const read = async (path: string) => {
    const response = await fetch(`${client.address}/api${path}`, { headers: client.headers });
    return Buffer.from(await response.arrayBuffer());
  };
  if (!(await read(paths[0])).equals(await read(paths[1]))) throw new Error('the two routes send other bytes');
  // Warm up both before measuring.
  await compareThroughput(client, paths, 0.3);
  return compareThroughput(client, paths, seconds);
}
