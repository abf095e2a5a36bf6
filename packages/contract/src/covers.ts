/** Required width and height of a cover (product §19.1). */
export const coverSidePixels = 3000;
export const coverMaxBytes = 20 * 1024 * 1024;
/** Widths of the pictures made of a cover, for `GET /img/:key?w` (product §31.20). */
export const coverWidths = [96, 200, 365, 730, 1200] as const;
export const defaultCoverWidth = 365;
export type CoverWidth = (typeof coverWidths)[number];
export const coverQuality = 85;

export interface PictureHead {
  type: 'png' | 'jpeg';
  width: number;
  height: number;
  isAnimated: boolean;
}

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

export function readPictureHead(bytes: Uint8Array): PictureHead | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (pngSignature.every((byte, index) => bytes[index] === byte)) return readPngHead(view);
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpegHead(view);
  return undefined;
}

const chunk = (name: string) => [...name].reduce((sum, letter) => sum * 256 + letter.charCodeAt(0), 0);

function readPngHead(view: DataView): PictureHead | undefined {
  if (view.byteLength < 33 || view.getUint32(8) !== 13 || view.getUint32(12) !== chunk('IHDR')) return undefined;
  let isAnimated = false;
  // Animation chunks come before the first image data.
  for (let at = 33; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const name = view.getUint32(at + 4);
    if (name === chunk('IDAT') || name === chunk('IEND')) break;
    if (name === chunk('acTL')) isAnimated = true;
  }
  return { type: 'png', width: view.getUint32(16), height: view.getUint32(20), isAnimated };
}

function readJpegHead(view: DataView): PictureHead | undefined {
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // Fill bytes, and markers without a segment.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      return { type: 'jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5), isAnimated: false };
    }
    if (marker === 0xd9 || marker === 0xda) return undefined;
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** The sentence that refuses a file as a cover before decoding (product §18.3); undefined when its header is valid. */
export function coverProblem(
  bytes: Uint8Array,
  sentences: { coverFormat: string; coverSize: string },
): string | undefined {
  const head = readPictureHead(bytes);
  if (!head || head.isAnimated) return sentences.coverFormat;
  const isSquare = head.width === coverSidePixels && head.height === coverSidePixels;
  return isSquare ? undefined : sentences.coverSize;
}
