import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { messages } from '@regie/contract/messages.ts';
import sharp, { type Sharp } from 'sharp';

/** A file sent as a cover, its name and type, and the expected result. */
export interface CoverFile {
  what: string;
  fileName: string;
  bytes: Buffer;
  /** The expected error message; undefined when the file is stored unchanged. */
  refusal?: string;
}

const side = 3000;

/** A picture whose orientation is visible: red top left, green top right, blue bottom left, white bottom right. */
async function quarters(width = side, height = side): Promise<Sharp> {
  const corner = (background: string) => ({
    input: { create: { width: width >> 1, height: height >> 1, channels: 3 as const, background } },
  });
  const raw = await sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
    .composite([
      { ...corner('#e02020'), left: 0, top: 0 },
      { ...corner('#20a020'), left: width >> 1, top: 0 },
      { ...corner('#2030e0'), left: 0, top: height >> 1 },
    ])
    .removeAlpha()
    .raw()
    .toBuffer();
  return sharp(raw, { raw: { width, height, channels: 3 } });
}

/** In the order of `quarters`, upright. */
export const quarterColours = [
  [224, 32, 32],
  [32, 160, 32],
  [32, 48, 224],
  [255, 255, 255],
] as const;

function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A hand-made single-colour PNG: even huge ones are small files. */
function flatPng(width: number, height: number, claimed = { width, height }): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(claimed.width, 0);
  head.writeUInt32BE(claimed.height, 4);
  head.set([1, 0, 0, 0, 0], 8);
  const data = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 });
  return Buffer.concat([
    pngSignature,
    pngChunk('IHDR', head),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Inserts chunks after a PNG's header. */
const withChunks = (png: Buffer, ...chunks: Buffer[]) =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
/** Inserts a segment after a JPEG's first two bytes. */
function withSegment(jpeg: Buffer, marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}
/** Flips a byte of the picture's data. */
function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
const cut = (bytes: Buffer, share: number) => bytes.subarray(0, Math.floor(bytes.length * share));
/** Repeats a scan of a progressive JPEG: small to send, slow to decode. */
function withManyScans(jpeg: Buffer, times: number): Buffer {
  const start = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const end = jpeg.length - 2;
  return Buffer.concat([
    jpeg.subarray(0, end),
    ...Array.from({ length: times }, () => jpeg.subarray(start, end)),
    jpeg.subarray(end),
  ]);
}

async function settled(picture: Sharp): Promise<Sharp> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
}
/** The transformations for EXIF orientations 1 to 8. */
const turns: ((picture: Sharp) => Promise<Sharp>)[] = [
  async (picture) => picture,
  (picture) => settled(picture.flop()),
  (picture) => settled(picture.rotate(180)),
  (picture) => settled(picture.flip()),
  async (picture) => settled((await settled(picture.rotate(90))).flop()),
  (picture) => settled(picture.rotate(270)),
  async (picture) => settled((await settled(picture.rotate(90))).flip()),
  (picture) => settled(picture.rotate(90)),
];

/** Files that are sent as covers by mistake or malice. */
export async function makeCoverFiles(): Promise<CoverFile[]> {
  const picture = await quarters();
  const jpeg = await picture.clone().jpeg({ quality: 80 }).toBuffer();
  const png = await picture.clone().png({ compressionLevel: 3 }).toBuffer();
  const noise = (length: number) => randomBytes(length);
  const animation = await quarters(600, 600);
  const frames = await sharp(await animation.clone().resize(300, 600).raw().toBuffer(), {
    raw: { width: 300, height: 600, channels: 3, pageHeight: 300 },
  })
    .gif()
    .toBuffer();
  const animatedWebp = await sharp(await animation.clone().resize(300, 600).raw().toBuffer(), {
    raw: { width: 300, height: 600, channels: 3, pageHeight: 300 },
  })
    .webp()
    .toBuffer();
  const smooth = picture.clone().blur(3);
  const { coverFormat, coverSize, coverDamaged, tooLarge } = messages;
  const html = '<html><script>alert(document.domain)</script></html>';
  const oriented = await Promise.all(
    turns.map(async (turn, index) => ({
      what: `JPEG turned by EXIF ${index + 1}`,
      fileName: `orientation-${index + 1}.jpg`,
      bytes: await (await turn(picture.clone()))
        .withMetadata({ orientation: index + 1 })
        .jpeg({ quality: 70 })
        .toBuffer(),
    })),
  );
  const sixteenBits = await picture.clone().toColourspace('rgb16').png({ compressionLevel: 3 }).toBuffer();
  const named = [
    '../../../etc/passwd.png',
    '..\\..\\windows\\system32\\cover.png',
    'C:\\Users\\Awa\\cover.png',
    'nul\0octet.png',
    `${'long'.repeat(75)}.png`,
    'émoji 🎧 été.png',
    "apostrophe ' point;virgule.png",
    '',
  ];
  return [
    { what: 'JPEG', fileName: 'cover.jpg', bytes: jpeg },
    { what: 'PNG', fileName: 'cover.png', bytes: png },
    { what: 'JPEG named .png', fileName: 'cover.png', bytes: jpeg },
    ...oriented,
    { what: 'CMYK JPEG', fileName: 'cmjn.jpg', bytes: await picture.clone().toColourspace('cmyk').jpeg().toBuffer() },
    { what: '16-bit PNG', fileName: '16-bits.png', bytes: sixteenBits },
    { what: 'grey JPEG', fileName: 'gris.jpg', bytes: await picture.clone().greyscale().jpeg().toBuffer() },
    {
      what: 'grey PNG',
      fileName: 'gris.png',
      bytes: await picture.clone().greyscale().toColourspace('b-w').png().toBuffer(),
    },
    { what: 'PNG of one bit a pixel', fileName: 'noir.png', bytes: flatPng(side, side) },
    { what: 'palette PNG', fileName: 'palette.png', bytes: await picture.clone().png({ palette: true }).toBuffer() },
    {
      what: 'PNG with holes',
      fileName: 'alpha.png',
      bytes: await picture.clone().ensureAlpha(0.5).png({ compressionLevel: 3 }).toBuffer(),
    },
    { what: 'progressive JPEG', fileName: 'p.jpg', bytes: await smooth.clone().jpeg({ progressive: true }).toBuffer() },
    {
      what: 'interlaced PNG',
      fileName: 'entrelacee.png',
      bytes: await picture.clone().png({ progressive: true, compressionLevel: 3 }).toBuffer(),
    },
    {
      what: 'JPEG with a wide-gamut profile',
      fileName: 'p3.jpg',
      bytes: await picture.clone().withIccProfile('p3').jpeg().toBuffer(),
    },
    {
      what: 'JPEG with a profile of noise',
      fileName: 'profil.jpg',
      bytes: withSegment(jpeg, 0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), noise(3000)])),
    },
    { what: 'JPEG followed by noise', fileName: 'suite.jpg', bytes: Buffer.concat([jpeg, noise(50_000)]) },
    { what: 'PNG followed by noise', fileName: 'suite.png', bytes: Buffer.concat([png, noise(50_000)]) },
    {
      what: 'PNG that is a page too',
      fileName: 'page.png',
      bytes: withChunks(png, pngChunk('tEXt', Buffer.from(`Comment\0${html}`, 'latin1'))),
    },
    {
      what: 'JPEG that is an archive too',
      fileName: 'archive.jpg',
      bytes: Buffer.concat([
        jpeg,
        Buffer.from('PK\x03\x04\x14\0\0\0', 'latin1'),
        noise(200),
        Buffer.from('PK\x05\x06', 'latin1'),
        Buffer.alloc(18),
      ]),
    },
    {
      what: 'JPEG whose comment is an SVG',
      fileName: 'svg.jpg',
      bytes: withSegment(jpeg, 0xfe, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
    },
    ...named.map((fileName) => ({ what: `PNG named ${JSON.stringify(fileName.slice(0, 40))}`, fileName, bytes: png })),

    {
      what: 'SVG named .png',
      fileName: 'cover.png',
      bytes: Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000"><image href="file:///etc/passwd"/></svg>`,
      ),
      refusal: coverFormat,
    },
    { what: 'HTML named .png', fileName: 'cover.png', bytes: Buffer.from(html), refusal: coverFormat },
    {
      what: 'PHP named .jpg',
      fileName: 'cover.php.jpg',
      bytes: Buffer.from('<?php system($_GET["c"]); ?>'),
      refusal: coverFormat,
    },
    {
      what: 'GIF that is a script too',
      fileName: 'cover.png',
      bytes: Buffer.concat([Buffer.from('GIF89a/*', 'latin1'), noise(300), Buffer.from('*/=1;alert(1)')]),
      refusal: coverFormat,
    },
    { what: 'animated GIF named .png', fileName: 'cover.png', bytes: frames, refusal: coverFormat },
    { what: 'animated WebP named .png', fileName: 'cover.png', bytes: animatedWebp, refusal: coverFormat },
    {
      what: 'WebP',
      fileName: 'cover.webp',
      bytes: await picture.clone().webp({ effort: 0 }).toBuffer(),
      refusal: coverFormat,
    },
    {
      what: 'TIFF named .png',
      fileName: 'cover.png',
      bytes: await animation.clone().tiff().toBuffer(),
      refusal: coverFormat,
    },
    {
      what: 'AVIF named .png',
      fileName: 'cover.png',
      bytes: await animation.clone().avif({ effort: 0 }).toBuffer(),
      refusal: coverFormat,
    },
    {
      what: 'BMP named .png',
      fileName: 'cover.png',
      bytes: Buffer.concat([Buffer.from('BM'), noise(5000)]),
      refusal: coverFormat,
    },
    {
      what: 'HEIC named .jpg',
      fileName: 'cover.jpg',
      bytes: Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), noise(5000)]),
      refusal: coverFormat,
    },
    { what: 'PDF named .png', fileName: 'cover.png', bytes: Buffer.from('%PDF-1.7\n'), refusal: coverFormat },
    { what: 'noise', fileName: 'cover.png', bytes: noise(100_000), refusal: coverFormat },
    { what: '0 bytes', fileName: 'cover.png', bytes: Buffer.alloc(0), refusal: coverFormat },
    { what: 'a signature alone', fileName: 'cover.png', bytes: pngSignature, refusal: coverFormat },
    {
      what: 'animated PNG',
      fileName: 'cover.png',
      bytes: withChunks(png, pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))),
      refusal: coverFormat,
    },
    {
      what: '3000×2999',
      fileName: 'cover.jpg',
      bytes: await (await quarters(3000, 2999)).jpeg().toBuffer(),
      refusal: coverSize,
    },
    {
      what: '2999×3000',
      fileName: 'cover.png',
      bytes: await (await quarters(2999, 3000)).png({ compressionLevel: 1 }).toBuffer(),
      refusal: coverSize,
    },
    { what: '6000×6000', fileName: 'cover.png', bytes: flatPng(6000, 6000), refusal: coverSize },
    { what: '1×1', fileName: 'cover.png', bytes: flatPng(1, 1), refusal: coverSize },
    { what: '0×0', fileName: 'cover.png', bytes: flatPng(1, 1, { width: 0, height: 0 }), refusal: coverSize },
    { what: '30 000×30 000', fileName: 'bombe.png', bytes: flatPng(30_000, 30_000), refusal: coverSize },
    {
      what: '1×1 that says 3000×3000',
      fileName: 'menteur.png',
      bytes: flatPng(1, 1, { width: side, height: side }),
      refusal: coverDamaged,
    },
    { what: 'truncated JPEG', fileName: 'cover.jpg', bytes: cut(jpeg, 0.6), refusal: coverDamaged },
    {
      what: 'truncated progressive JPEG',
      fileName: 'cover.jpg',
      bytes: cut(await smooth.clone().jpeg({ progressive: true }).toBuffer(), 0.5),
      refusal: coverDamaged,
    },
    { what: 'truncated PNG', fileName: 'cover.png', bytes: cut(png, 0.6), refusal: coverDamaged },
    {
      what: 'PNG without its end',
      fileName: 'cover.png',
      bytes: png.subarray(0, png.length - 2000),
      refusal: coverDamaged,
    },
    {
      what: 'PNG with one wrong byte',
      fileName: 'cover.png',
      bytes: flipped(png, png.length >> 1),
      refusal: coverDamaged,
    },
    {
      what: 'JPEG of 400 scans',
      fileName: 'cover.jpg',
      bytes: withManyScans(await smooth.clone().jpeg({ progressive: true }).toBuffer(), 1000),
      refusal: coverDamaged,
    },
    {
      what: 'more than 20 MiB',
      fileName: 'cover.png',
      bytes: Buffer.concat([png, Buffer.alloc(20 * 1024 * 1024)]),
      refusal: tooLarge,
    },
  ];
}
