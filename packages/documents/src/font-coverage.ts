const woff = 0x774f4646;
const cmapTag = 0x636d6170;
const woffHeader = 44;
const woffRecord = 20;
const header = 12;
const record = 16;

const inflate = async (bytes: ArrayBuffer): Promise<ArrayBuffer> =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();

/** Decompressed if it is WOFF: pdfmake fails on some files. @throws Error when the compressed tables are corrupt */
export async function unpacked(file: ArrayBuffer): Promise<ArrayBuffer> {
  const view = new DataView(file);
  if (view.getUint32(0) !== woff) return file;
  const count = view.getUint16(12);
  const tables = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const at = woffHeader + index * woffRecord;
      const start = view.getUint32(at + 4);
      const packedLength = view.getUint32(at + 8);
      const packed = file.slice(start, start + packedLength);
      const isPacked = packedLength < view.getUint32(at + 12);
      return {
        tag: view.getUint32(at),
        checksum: view.getUint32(at + 16),
        data: isPacked ? await inflate(packed) : packed,
      };
    }),
  );
  let end = header + count * record;
  const places = tables.map(({ data }) => {
    const start = end;
    end += Math.ceil(data.byteLength / 4) * 4;
    return start;
  });
  const made = new DataView(new ArrayBuffer(end));
  made.setUint32(0, view.getUint32(4));
  made.setUint16(4, count);
  for (const [index, { tag, checksum, data }] of tables.entries()) {
    const place = places[index] ?? end;
    for (const [field, value] of [tag, checksum, place, data.byteLength].entries())
      made.setUint32(header + index * record + field * 4, value);
    new Uint8Array(made.buffer).set(new Uint8Array(data), place);
  }
  return made.buffer;
}

function characterMap(file: ArrayBuffer): DataView | undefined {
  const view = new DataView(file);
  for (let index = 0; index < view.getUint16(4); index++) {
    const at = header + index * record;
    if (view.getUint32(at) === cmapTag) return new DataView(file, view.getUint32(at + 8), view.getUint32(at + 12));
  }
  return undefined;
}

function* segmentsOf(view: DataView, table: number): Generator<number> {
  const doubled = view.getUint16(table + 6);
  const ends = table + 14;
  const starts = ends + doubled + 2;
  for (let at = 0; at < doubled; at += 2) {
    const start = view.getUint16(starts + at);
    const delta = view.getUint16(starts + doubled + at);
    const offset = starts + 2 * doubled + at;
    const toGlyphs = view.getUint16(offset);
    for (let code = start; code <= view.getUint16(ends + at) && code < 0xffff; code++) {
      const glyph = toGlyphs === 0 ? code : view.getUint16(offset + toGlyphs + 2 * (code - start));
      if (glyph !== 0 && ((glyph + delta) & 0xffff) !== 0) yield code;
    }
  }
}

function* groupsOf(view: DataView, table: number): Generator<number> {
  for (let index = 0; index < view.getUint32(table + 12); index++) {
    const group = table + 16 + index * 12;
    for (let code = view.getUint32(group); code <= view.getUint32(group + 4); code++) yield code;
  }
}

/** The code points that a TrueType file has glyphs for. A style sheet's `unicode-range` may claim more. */
export function coverageOf(file: ArrayBuffer): ReadonlySet<number> {
  const covered = new Set<number>();
  const view = characterMap(file);
  for (let index = 0; view && index < view.getUint16(2); index++) {
    const table = view.getUint32(4 + index * 8 + 4);
    const format = view.getUint16(table);
    const codes = format === 4 ? segmentsOf(view, table) : format === 12 ? groupsOf(view, table) : [];
    for (const code of codes) covered.add(code);
  }
  return covered;
}
