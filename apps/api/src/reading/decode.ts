import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Charset, statementMessages } from '@regie/contract/statements.ts';
import { analyse } from 'chardet';
import { StatementRefusal } from './refusal.ts';

/** Real statements compress less than this factor; more is treated as a zip bomb. */
const maxInflation = 300;
const harmlessBytes = 256 * 1024 * 1024;
const maxTextBytes = 30 * 1024 ** 3;

/**
 * Smaller pieces split many rows. Larger ones, decoded to two bytes a character, exceed the 128 kB from which each
 * buffer is mapped and unmapped: twice the time.
 */
const pieceBytes = 60 * 1024;
const inflatedBytes = 128 * 1024;

async function* pieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
}

/** Limits the inflated bytes and re-chunks them. @throws StatementRefusal for a zip bomb */
export async function* bounded(
  inflated: AsyncIterable<Buffer>,
  compressedBytes: () => number,
): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of inflated) {
    bytes += chunk.length;
    heldBytes += chunk.length;
    if (bytes > maxTextBytes || (bytes > harmlessBytes && bytes > maxInflation * Math.max(1, compressedBytes()))) {
      throw new StatementRefusal('Ce fichier compressé se déploie au-delà de toute mesure\u00a0: il n’est pas lu');
    }
    held.push(chunk);
    if (heldBytes < inflatedBytes) continue;
    yield Buffer.concat(held);
    held = [];
    heldBytes = 0;
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

const isBroken = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');

/** @throws StatementRefusal for a damaged or truncated file */
export async function* gunzip(source: Readable): AsyncGenerator<Buffer, void> {
  let compressed = 0;
  source.on('data', (chunk: Buffer) => {
    compressed += chunk.length;
  });
  const inflated = createGunzip();
  source.on('error', (error) => inflated.destroy(error));
  try {
    yield* bounded(source.pipe(inflated), () => compressed);
  } catch (error) {
    if (isBroken(error)) throw new StatementRefusal('Le fichier compressé est abîmé ou coupé');
    throw error;
  } finally {
    source.destroy();
  }
}

/** Converts line ends of files with lone carriage returns (classic Mac OS). */
export function lineFeeds(head: string): (text: string) => string {
  const isOld = head.includes('\r') && !head.includes('\n');
  return (text) => (isOld ? text.replaceAll('\r', '\n') : text);
}

/** Whether most non-ASCII bytes are UTF-8; then invalid ones are damage, not another charset. */
function isMostlyUtf8(bytes: Buffer): boolean {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  const broken = text.split('\ufffd').length - 1;
  const whole = text.replace(/[\p{ASCII}\ufffd]+/gu, '').length;
  return whole >= broken;
}

const sureConfidence = 50;
const eastAsian: Record<string, Charset> = {
  Shift_JIS: 'shift_jis',
  'EUC-JP': 'euc-jp',
  GB18030: 'gb18030',
  Big5: 'big5',
  'EUC-KR': 'euc-kr',
};
const analysedBytes = 64 * 1024;
/** Letters of French, German and Spanish in Mac OS Roman whose bytes are symbols or undefined in windows-1252. */
const macLetters = new Set([
  0x87, 0x88, 0x89, 0x8a, 0x8d, 0x8e, 0x8f, 0x90, 0x91, 0x94, 0x95, 0x96, 0x99, 0x9a, 0x9d, 0x9e, 0x9f, 0x80, 0x83,
  0x85, 0x86,
]);
/** Those whose byte cannot end a lower-case word in windows-1252. */
const macEndings = new Set([0x88, 0x8a, 0x8d, 0x8e, 0x8f, 0x90, 0x9d, 0x9f]);
/** Symbols of windows-1252 that Western titles use. */
const westernSigns = new Set([
  0x80, 0x85, 0x8a, 0x8c, 0x8e, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99, 0x9a, 0x9c, 0x9e, 0x9f, 0xa0, 0xa1,
  0xa3, 0xa7, 0xa9, 0xaa, 0xab, 0xae, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb7, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf,
]);
const isHigh = (byte: number) => byte >= 0xc0;
const isLower = (byte: number) => byte >= 0x61 && byte <= 0x7a;
const isUpper = (byte: number) => byte >= 0x41 && byte <= 0x5a;
const isLetter = (byte: number) => isLower(byte) || isUpper(byte);

type Run = { bytes: Buffer; before: number; after: number };

function findRuns(bytes: Buffer): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    const start = at;
    while ((bytes[at] ?? 0) >= 0x80) at++;
    runs.push({ bytes: bytes.subarray(start, at), before: bytes[start - 1] ?? 0, after: bytes[at] ?? 0 });
  }
  return runs;
}

/** Whether non-ASCII bytes within words are letters in Mac OS Roman only. */
function isMacRoman(runs: readonly Run[]): boolean {
  let mac = 0;
  let western = 0;
  for (const { bytes, before, after } of runs) {
    const [first = 0] = bytes;
    if (!isLetter(before) || bytes.length > 1) continue;
    if (isLetter(after) ? macLetters.has(first) : isLower(before) && macEndings.has(first)) mac++;
    else if (isHigh(first)) western++;
  }
  return mac > 0 && mac >= western;
}

function isReadable(bytes: Buffer, charset: Charset): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether most runs are words in windows-1251: lower-case letters after one letter of any case. */
function isCyrillic(runs: readonly Run[]): boolean {
  const words = runs.filter(
    ({ bytes }) => bytes.length > 2 && isHigh(bytes[0] ?? 0) && bytes.subarray(1).every((byte) => byte >= 0xe0),
  );
  return words.length > runs.length / 2;
}

/** Whether the runs are more than accented letters in Western words and Western symbols. */
function isForeign(runs: readonly Run[]): boolean {
  const foreign = runs.filter(({ bytes, before, after }) => {
    if (bytes.some((byte) => !isHigh(byte) && !westernSigns.has(byte))) return true;
    if (isNorthern(bytes)) return false;
    return bytes.length > 1 && bytes.every(isHigh) && !(isLetter(before) && isLetter(after));
  });
  return foreign.length > 0 && foreign.length >= runs.length / 2;
}

/** Bytes that windows-1252 has no character for. */
const undefinedBytes = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
/** Letters that are never a Western word alone: ß, Ð, Ý, Þ, ð, ý, þ, ÿ. */
const neverAlone = new Set([0xdf, 0xd0, 0xdd, 0xde, 0xf0, 0xfd, 0xfe, 0xff]);
/** Å, Ä, Æ, Ö, Ø, Ü: letters that can form words without others. */
const northern = [0xc4, 0xc5, 0xc6, 0xd6, 0xd8, 0xdc];
const isNorthern = (bytes: Buffer) =>
  bytes.every((byte) => northern.includes(byte)) || bytes.every((byte) => northern.includes(byte - 0x20));
/** Quotes, spaces and symbols that can be adjacent in Western text. */
const adjacentSigns = new Set([0xa0, 0xa1, 0xab, 0xb4, 0xb7, 0xbb, 0xbf]);

/** Whether a run without adjacent ASCII letters is not Western: a word in another alphabet. */
function isNonWestern({ bytes, before, after }: Run): boolean {
  if (isLetter(before) || isLetter(after)) return false;
  if (bytes.length === 1) return neverAlone.has(bytes[0] ?? 0);
  if (bytes.every(isHigh)) return !isNorthern(bytes);
  return bytes.every((byte) => byte > 0xa0 && byte < 0xe0 && !adjacentSigns.has(byte));
}

/** The detected charset, and alternatives when the bytes do not decide, most likely first. */
type DetectedCharset = { charset: Charset; others: readonly Charset[] };

/**
 * By the first bytes: a byte order mark, zero bytes of UTF-16, valid UTF-8, an East Asian charset, Mac OS Roman, else
 * windows-1251 or windows-1252. A few East Asian words can be ambiguous.
 */
export function detectCharset(head: Buffer): DetectedCharset {
  const sure = (charset: Charset): DetectedCharset => ({ charset, others: [] });
  if (head[0] === 0xff && head[1] === 0xfe) return sure('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return sure('utf-16be');
  const pairs = Math.min(2000, head.length >> 1);
  let evenZeros = 0;
  let oddZeros = 0;
  for (let pair = 0; pair < pairs; pair++) {
    if (head[pair * 2] === 0) evenZeros++;
    if (head[pair * 2 + 1] === 0) oddZeros++;
  }
  if (pairs > 0 && oddZeros > pairs / 2) return sure('utf-16le');
  if (pairs > 0 && evenZeros > pairs / 2) return sure('utf-16be');
  if (isMostlyUtf8(head)) return sure('utf-8');
  const [likely] = analyse(head.subarray(0, analysedBytes)).flatMap(({ name, confidence }) => {
    const charset = eastAsian[name];
    return charset && confidence >= sureConfidence && isReadable(head, charset) ? [charset] : [];
  });
  if (likely) return sure(likely);
  const runs = findRuns(head);
  if (isCyrillic(runs)) return sure('windows-1251');
  const isMac = isMacRoman(runs);
  const isInLowerCase = runs.every(({ before, after }) => !isUpper(before) && !isUpper(after));
  const readable = Object.values(eastAsian).filter((charset) => isReadable(head, charset));
  if (isForeign(runs) && !(isMac && isInLowerCase)) {
    const [first, ...others] = readable;
    if (first) return { charset: first, others: [...others, isMac ? 'macintosh' : 'windows-1251', 'windows-1252'] };
  }
  if (isMac) return sure('macintosh');
  if (runs.some(({ bytes }) => bytes.some((byte) => undefinedBytes.has(byte)))) {
    return { charset: 'windows-1250', others: ['macintosh', 'windows-1251', ...readable] };
  }
  if (runs.filter(isNonWestern).length >= Math.max(1, runs.length / 2)) {
    const [first, ...others] = [...readable, 'windows-1251', 'windows-1252'] as const;
    if (first) return { charset: first, others };
  }
  return sure('windows-1252');
}

/** Control characters of binary files: pictures, PDF, old spreadsheets. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\0-\x08\x0e-\x1a]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sign by which DOS programs end a file
const dosEnd = /\x1a[\x1a\r\n]*$/;

/** @throws StatementRefusal when the text is binary */
export function assertText(text: string): void {
  if (controls.test(text.slice(0, 4000).replace(dosEnd, ''))) {
    throw new StatementRefusal('Ce fichier n’est pas un texte\u00a0: exportez le relevé en CSV, TSV ou XLSX');
  }
}
const isAscii = (text: string) => Buffer.byteLength(text, 'utf8') === text.length;

/**
 * A file that starts as ASCII and continues as invalid UTF-8 switches to its code page.
 * @throws StatementRefusal for binary content, after yielding the text before it
 */
export async function* decodeText(
  bytes: AsyncIterable<Buffer>,
  charset: Charset,
  { isBeginning }: { isBeginning: boolean } = { isBeginning: true },
): AsyncGenerator<string, void> {
  let decoder = new TextDecoder(charset, { fatal: true });
  let isFirst = isBeginning;
  let mayChange = charset === 'utf-8';
  let held: Buffer = Buffer.alloc(0);
  let end = '';
  for await (const chunk of pieces(bytes)) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      const all = Buffer.concat([held, chunk]);
      const { charset: other, others } = mayChange ? detectCharset(all) : { charset, others: [] };
      if (others.length > 0) {
        const end = all.findIndex((byte) => byte > 127);
        yield all.toString('latin1', 0, end);
        throw new StatementRefusal(statementMessages.charsetRequired);
      }
      if (other === charset) {
        yield new TextDecoder(charset).decode(all).split('\ufffd', 1)[0] ?? '';
        throw new StatementRefusal(
          'Un caractère n’y est pas lisible\u00a0: le fichier est abîmé ou mêle des jeux de caractères',
        );
      }
      mayChange = false;
      decoder = new TextDecoder(other, { fatal: true });
      text = decoder.decode(all, { stream: true });
    }
    if (isFirst) assertText(text);
    isFirst = false;
    if (mayChange) {
      mayChange = isAscii(text);
      // A character split at the chunk's end has at most three bytes here.
      if (mayChange) held = Buffer.from(chunk.subarray(Math.max(0, chunk.length - 3)).filter((byte) => byte > 127));
    }
    text = end + text;
    [end = ''] = text.includes('\x1a') ? (dosEnd.exec(text) ?? []) : [];
    if (end !== '') text = text.slice(0, -end.length);
    const hole = text.indexOf('\0');
    if (hole >= 0) {
      yield text.slice(0, hole);
      throw new StatementRefusal('Le fichier a un trou à cet endroit (octets nuls)\u00a0: il est abîmé');
    }
    if (text !== '') yield text;
  }
  let last: string;
  try {
    last = decoder.decode();
  } catch {
    if (mayChange && held.length > 0) last = new TextDecoder('windows-1252').decode(held);
    else throw new StatementRefusal('Le dernier caractère du fichier est coupé');
  }
  if (last !== '') yield last;
}
