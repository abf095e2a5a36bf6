const sumTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** The CRC-32 of a ZIP, before its last complement; it begins at -1. */
export function addToSum(sum: number, bytes: Uint8Array): number {
  let next = sum;
  for (let index = 0; index < bytes.length; index++) {
    next = (next >>> 8) ^ (sumTable[(next ^ (bytes[index] ?? 0)) & 0xff] ?? 0);
  }
  return next;
}

export const endSignature = 0x06054b50;
export const entrySignature = 0x02014b50;
export const localSignature = 0x04034b50;
