import { coverProblem, coverQuality, coverSidePixels } from '@regie/contract/covers.ts';
import { messages } from '@regie/contract/messages.ts';
import type { Sharp, SharpInput, SharpOptions } from 'sharp';
import { invalid } from '#src/lib/errors.ts';

/** Maximum concurrent decodes: each uses a core and tens of megabytes. */
const atOnce = 2;
const decodeSeconds = 30;
/** Under transparent covers. */
const paper = '#ffffff';

let loading: Promise<(input: SharpInput, options: SharpOptions) => Sharp> | undefined;
/** Loads the large library at the first cover. */
function load() {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Covers are decoded once, so no cache. One thread per picture limits memory.
    sharp.cache(false);
    sharp.concurrency(1);
    // Two of the library's forty formats.
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

/** The first bytes only; also finds a false size. @throws validation_failed */
export function checkCoverHead(bytes: Buffer): void {
  const problem = coverProblem(bytes, messages);
  if (problem !== undefined) throw invalid({ cover: problem });
}

/** Decodes once and makes square, upright sRGB WebP pictures. Any invalid byte fails. @throws validation_failed */
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
    // In parallel: the widest takes as long as all others; more would use more memory.
    const [widest, ...others] = widths.toSorted((a, b) => b - a);
    await Promise.all([encode(widest === undefined ? [] : [widest]), encode(others)]);
    return pictures;
  });
}
