import { crc32, deflateSync } from 'node:zlib';
import { coverSidePixels } from '@regie/contract/covers.ts';
import type Sharp from 'sharp';
import { at, Random, seedOf } from './random.ts';

/**
 * The demo's covers: a few drawings in tones of one ink, each in the colours of its release. A drawing is compressed
 * once as palette indexes; covers differ only in their palettes, which is cheap. They contain no text, which would
 * depend on installed fonts.
 */
const side = coverSidePixels;
/** Drawn at a third of the final size. */
const unit = 1000;
/** Tones from dark ink to paper. */
const tones = [0, 64, 128, 192, 255] as const;
const grey = (tone: number) => `rgb(${tone},${tone},${tone})`;

type Draw = (random: Random) => { ground: number; shapes: string };

const shape = (element: string, tone: number, attributes: Record<string, number | string>) =>
  `<${element} fill="${grey(tone)}" ${Object.entries(attributes)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')}/>`;
const circle = (tone: number, cx: number, cy: number, r: number) => shape('circle', tone, { cx, cy, r });
const rect = (tone: number, x: number, y: number, width: number, height: number) =>
  shape('rect', tone, { x, y, width, height });
const path = (tone: number, d: string) => shape('path', tone, { d });

/** A quarter disc filling a square cell from one corner. */
function quarter(tone: number, x: number, y: number, cell: number, corner: number): string {
  const [left, top, right, bottom] = [x, y, x + cell, y + cell];
  const arcs = [
    `M${left} ${top}H${right}A${cell} ${cell} 0 0 1 ${left} ${bottom}Z`,
    `M${right} ${top}V${bottom}A${cell} ${cell} 0 0 1 ${left} ${top}Z`,
    `M${right} ${bottom}H${left}A${cell} ${cell} 0 0 1 ${right} ${top}Z`,
    `M${left} ${bottom}V${top}A${cell} ${cell} 0 0 1 ${right} ${bottom}Z`,
  ];
  return path(tone, at(arcs, corner));
}

const tiles: Draw = (random) => {
  const cells = random.pick([4, 5]);
  const cell = unit / cells;
  const parts = Array.from({ length: cells * cells }, (_, index) => {
    const x = (index % cells) * cell;
    const y = Math.floor(index / cells) * cell;
    const [ground, ink] = random.sample(tones, 2);
    const figure = random.chance(0.25)
      ? circle(ink ?? 0, x + cell / 2, y + cell / 2, cell * 0.36)
      : quarter(ink ?? 0, x, y, cell, random.int(0, 3));
    return rect(ground ?? 255, x, y, cell + 0.5, cell + 0.5) + figure;
  });
  return { ground: 255, shapes: parts.join('') };
};

const rings: Draw = (random) => {
  const [cx, cy] = [random.pick([0, 500, 1000]), random.pick([500, 1000])];
  const parts = [];
  for (let radius = 1080, index = 0; radius > 60; radius -= random.int(70, 120), index += 1) {
    parts.push(circle(at(tones, (index * 2) % tones.length), cx, cy, radius));
  }
  return { ground: 255, shapes: parts.join('') };
};

const stripes: Draw = (random) => {
  const parts = [];
  for (let x = -1000, index = 0; x < 1100; index += 1) {
    const width = random.int(30, 150);
    parts.push(path(at(tones, (index * 3 + 1) % tones.length), `M${x} 0h${width}l900 1000h-${width}Z`));
    x += width + random.int(0, 60);
  }
  return {
    ground: 255,
    shapes: parts.join('') + circle(0, random.int(350, 650), random.int(350, 650), random.int(150, 230)),
  };
};

const dots: Draw = (random) => {
  const count = random.pick([9, 11, 13]);
  const step = unit / count;
  const [focusX, focusY] = [random.int(200, 800), random.int(200, 800)];
  const parts = Array.from({ length: count * count }, (_, index) => {
    const x = (index % count) * step + step / 2;
    const y = Math.floor(index / count) * step + step / 2;
    const near = Math.max(0, 1 - Math.hypot(x - focusX, y - focusY) / 800);
    return circle(near > 0.72 ? 192 : 255, x, y, Math.round(step * (0.12 + near * 0.42) * 10) / 10);
  });
  return { ground: random.pick([0, 64]), shapes: parts.join('') };
};

const draws: readonly Draw[] = [tiles, rings, stripes, dots];
/** Number of different drawings. */
const drawingCount = 12;

/** A drawing as the compressed rows of an 8-bit PNG. */
async function draw(sharp: typeof Sharp, index: number): Promise<Buffer> {
  const { ground, shapes } = at(draws, index % draws.length)(new Random(seedOf('cover drawing', index)));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${unit}" height="${unit}">${rect(ground, 0, 0, unit, unit)}${shapes}</svg>`;
  const small = await sharp(Buffer.from(svg), { density: 72 }).greyscale().raw().toBuffer();
  return deflateSync(enlarge(small), { level: 6 });
}

/** Triples each pixel in both directions and adds the PNG filter bytes (0: none, 2: up). */
function enlarge(small: Buffer): Buffer {
  const factor = side / unit;
  const rows = Buffer.alloc((side + 1) * side);
  for (let y = 0; y < unit; y += 1) {
    const start = y * factor * (side + 1);
    // A tenth of the time of a call of `fill` per pixel.
    for (let x = 0, place = start + 1; x < unit; x += 1) {
      const tone = small[y * unit + x] ?? 0;
      for (let copy = 0; copy < factor; copy += 1, place += 1) rows[place] = tone;
    }
    // Filter 2 stores the difference from the row above, which is zero here.
    for (let copy = 1; copy < factor; copy += 1) rows[start + copy * (side + 1)] = 2;
  }
  return rows;
}

/** Converts a hue (degrees), saturation and lightness to RGB. */
function toRgb(hue: number, saturation: number, lightness: number): [number, number, number] {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** A random PNG palette of 256 tones. */
function inventPalette(random: Random): Buffer {
  const hue = random.int(0, 359);
  const second = (hue + random.pick([30, 150, 180, 210, 330])) % 360;
  const stops = [
    toRgb(hue, 0.45, 0.14),
    toRgb(hue, 0.5, 0.36),
    toRgb(second, 0.62, 0.55),
    toRgb((second + 20) % 360, 0.7, 0.72),
    toRgb(random.int(30, 60), 0.45, 0.93),
  ];
  const ramp = random.chance(0.3) ? stops.toReversed() : stops;
  return Buffer.from(
    Array.from({ length: 256 }, (_, tone) => {
      const place = (tone / 255) * (ramp.length - 1);
      const low = Math.min(Math.floor(place), ramp.length - 2);
      const [from, to] = [at(ramp, low), at(ramp, low + 1)];
      return from.map((value, index) => Math.round(value + (at(to, index) - value) * (place - low)));
    }).flat(),
  );
}

function pngChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(name, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** Draws every cover in advance, so that a thousand covers only cost their writing. */
export async function drawCovers(): Promise<(block: number, release: number) => Buffer> {
  const { default: sharp } = await import('sharp');
  const drawings: Buffer[] = [];
  // Re-enable SVG: covers.pictures.ts blocks it when this process has handled uploads.
  const svg = { operation: ['VipsForeignLoadSvgBuffer'] };
  sharp.unblock(svg);
  for (let index = 0; index < drawingCount; index += 1) drawings.push(pngChunk('IDAT', await draw(sharp, index)));
  sharp.block(svg);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  // 8-bit palette image.
  head.set([8, 3, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return (block, release) => {
    const random = new Random(seedOf('cover', block, release));
    return Buffer.concat([
      signature,
      pngChunk('IHDR', head),
      pngChunk('PLTE', inventPalette(random)),
      at(drawings, (release * 5 + random.int(0, 1) * 7) % drawingCount),
      pngChunk('IEND', Buffer.alloc(0)),
    ]);
  };
}
