import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { FontSource } from './fonts.ts';

const { resolve } = createRequire(import.meta.url);

/** For Node. */
export const installedFonts: FontSource = {
  regular: resolve('pdfmake/fonts/Roboto/Roboto-Regular.ttf'),
  medium: resolve('pdfmake/fonts/Roboto/Roboto-Medium.ttf'),
  css: async (family) => {
    const path = resolve(`@fontsource/${family}/400.css`);
    return (await readFile(path, 'utf8')).replaceAll('url(.', `url(${dirname(path)}`);
  },
  load: async (path) => new Uint8Array(await readFile(path)).buffer,
};
