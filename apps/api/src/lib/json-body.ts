import { AppError } from './errors.ts';

const maxDepth = 64;
/** 5 000 rows of 40 columns. */
const maxElements = 200_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
/** `{` and `[`, `}` and `]` differ in this bit only, as do the cases of a letter. */
const caseBit = 0x20;
const [open, close, letterU, letterD] = [0x7b, 0x7d, 0x75, 0x64];
/** The first digit after `\ud` of the first and second half of a pair. */
const halves = { first: '89ab', second: 'cdef' };

/** Whether the bytes at `at` are an escaped half of a surrogate pair, `\ud83c` or `\udfa7`. */
function isHalf(bytes: Buffer, at: number, half: keyof typeof halves): boolean {
  return (
    bytes[at] === backslash &&
    bytes[at + 1] === letterU &&
    ((bytes[at + 2] ?? 0) | caseBit) === letterD &&
    halves[half].includes(String.fromCharCode((bytes[at + 3] ?? 0) | caseBit))
  );
}

/**
 * One pass before anything is built: JSON.parse is slow for deep values and many keys, and accepts lone surrogates,
 * which could not be stored as sent. @throws AppError
 */
function checkShape(bytes: Buffer): void {
  let depth = 0;
  let elements = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) isInText = !isInText;
    else if (isInText) {
      if (byte !== backslash) continue;
      if (isHalf(bytes, at, 'second')) throw new AppError('invalid_data');
      if (!isHalf(bytes, at, 'first')) at += 1;
      else if (isHalf(bytes, at + 6, 'second')) at += 11;
      else throw new AppError('invalid_data');
    } else if (byte === comma) elements += 1;
    else if ((byte | caseBit) === open) {
      depth += 1;
      elements += 1;
    } else if ((byte | caseBit) === close) depth -= 1;
    else continue;
    if (depth > maxDepth) throw new AppError('invalid_data');
    if (elements > maxElements) throw new AppError('too_large');
  }
}

/** Undefined without a body. @throws AppError invalid_data, too_large */
export function parseJson(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  checkShape(bytes);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new AppError('invalid_data');
  }
}
