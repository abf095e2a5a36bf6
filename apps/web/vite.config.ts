import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import manifest from './package.json' with { type: 'json' };

const compressible = /\.(js|css|svg|json|txt|map)$/;
const smallestWorthwhileBytes = 1024;

/** Writes `.br` and `.gz` beside every text asset: the server never compresses while it answers. */
function precompress(): Plugin {
  let outDir = '';
  return {
    name: 'regie:precompress',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      const names = await readdir(outDir, { recursive: true });
      await Promise.all(
        names.filter((name) => compressible.test(name)).map((name) => compressFile(join(outDir, name))),
      );
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.length < smallestWorthwhileBytes) return;
  const [brotli, gzipped] = await Promise.all([
    // Level 11 takes half of the build, for 2 % fewer bytes.
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}

const noLocales = '\0regie:no-zod-locales';

/** Zod's fifty languages come with its `z`; the contract has its own sentences. */
function withoutZodLocales(): Plugin {
  return {
    name: 'regie:without-zod-locales',
    enforce: 'pre',
    resolveId: (source, importer) =>
      source.endsWith('/locales/index.js') && importer?.includes('/zod/') ? noLocales : undefined,
    load: (id) => (id === noLocales ? 'export {};' : undefined),
  };
}

/** The letters of printed documents are read from WOFF only; the interface's own are WOFF2, by another entry. */
function withoutUnreadLetters(): Plugin {
  return {
    name: 'regie:without-unread-letters',
    enforce: 'pre',
    transform: (code, id) =>
      /@fontsource\/.*\.css\?inline/.test(id)
        ? { code: code.replaceAll(/url\([^)]*\.woff2\) format\('woff2'\), /g, ''), map: null }
        : undefined,
  };
}

const apiUrl = process.env.REGIE_API_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: import.meta.dirname,
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(manifest.version) },
  plugins: [react(), withoutZodLocales(), withoutUnreadLetters(), precompress()],
  // Replaced in every answer by the server (`@regie/api/lib/web-assets.ts`).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The policy has no `data:` for fonts, and inlined assets cannot be cached by themselves.
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Short: the first script lists them all. Parts of the frame and fonts are known by their names.
        chunkFileNames: ({ facadeModuleId }) =>
          `assets/${facadeModuleId?.includes('/app/shell/') ? '[name]-' : ''}[hash].js`,
        assetFileNames: ({ names: [name = ''] }) => `assets/${name.endsWith('.css') ? '' : '[name]-'}[hash][extname]`,
        codeSplitting: {
          // Small chunks by combination of pages would be fifty requests a page.
          groups: [
            { name: 'entry', test: /[\\/]src[\\/]app[\\/]main\.tsx$/, priority: 1 },
            { name: 'shared', minShareCount: 10 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  // The public pages of smartlinks are the server's too.
  server: { port: 5173, proxy: { '/api': apiUrl, '^/s/': apiUrl, '^/releve/': apiUrl } },
});
