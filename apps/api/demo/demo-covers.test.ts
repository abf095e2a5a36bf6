// @module-tag slow
import { coverProblem } from '@regie/contract/covers.ts';
import { messages } from '@regie/contract/messages.ts';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { drawCovers } from './demo-covers.ts';

it('draws valid covers that are reproducible and all different', async () => {
  const coverOf = await drawCovers();
  const covers = Array.from({ length: 30 }, (_, release) => coverOf(0, release));
  for (const cover of covers) {
    expect(coverProblem(cover, messages)).toBeUndefined();
    expect(cover.length).toBeLessThan(250_000);
  }
  expect(new Set(covers.map((cover) => cover.toString('base64'))).size).toBe(30);
  const again = await drawCovers();
  expect(again(0, 7).equals(coverOf(0, 7))).toBe(true);
  const { info } = await sharp(coverOf(0, 7), { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 3000, height: 3000, channels: 3 });
});
