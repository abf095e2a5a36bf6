import { coverProblem, coverQuality, coverSidePixels } from '@regie/contract/covers.ts';
import { messages } from '@regie/contract/messages.ts';
import type { Sharp, SharpInput, SharpOptions } from 'sharp';
import { invalid } from '#src/lib/errors.ts';

/** Covers being decoded at once: each takes a core and some tens of megabytes. */
const atOnce = 2;
const decodeSeconds = 30;
/** Under a cover with holes, as stores show it. */
const paper = '#ffffff';

let loading: Promise<(input: SharpInput, options: SharpOptions) => Sharp> | undefined;
/** Loaded with the first cover: a process that sees none is spared a large library. */
function load() {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Covers come once: what is kept of one is of no use to the next. One thread a picture keeps memory in bounds.
    sharp.cache(false);
    sharp.concurrency(1);
    // A library that reads forty formats is asked for two.
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer'] });
    return sharp;
  });
  return loading;
}

let running = 0;
const waiting: (() => void)[] = [];
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/**
 * Judges what was sent by its first bytes alone, at no cost: a picture that lies about its size is met there too.
 * @throws AppError validation_failed with the specified sentences
 */
export function checkCoverHead(bytes: Buffer): void {
  const problem = coverProblem(bytes, messages);
  if (problem !== undefined) throw invalid({ cover: problem });
}

/**
 * Pictures of a cover, square, upright, in sRGB, as WebP: decodes it whole, once, and fails where a byte of it does.
 * @throws AppError validation_failed when it cannot be decoded
 */
export async function makePictures<Width extends number>(
  bytes: Buffer,
  widths: readonly Width[],
): Promise<Map<Width, Buffer>> {
  checkCoverHead(bytes);
  const sharp = await load();
  return inTurn(async () => {
    const side = Math.max(...widths);
    const { data, info } = await sharp(bytes, { failOn: 'error', limitInputPixels: coverSidePixels ** 2 })
      .timeout({ seconds: decodeSeconds })
      .autoOrient()
      .resize(side, side, { fit: 'fill' })
      .flatten({ background: paper })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch(() => {
        throw invalid({ cover: messages.coverDamaged });
      });
    const raw = { width: info.width, height: info.height, channels: info.channels };
    const pictures = new Map<Width, Buffer>();
    const encode = async (lane: readonly Width[]) => {
      for (const width of lane) {
        const picture = sharp(data, { raw }).resize(width, width).webp({ quality: coverQuality });
        pictures.set(width, await picture.toBuffer());
      }
    };
    // Two lanes and no more: the widest takes as long as all the others, and each lane holds memory of its own.
    const [widest, ...others] = widths.toSorted((a, b) => b - a);
    await Promise.all([encode(widest === undefined ? [] : [widest]), encode(others)]);
    return pictures;
  });
}
