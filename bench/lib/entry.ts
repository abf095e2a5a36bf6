import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const web = resolve(import.meta.dirname, '../../apps/web');

/** Gzipped bytes of a built page's entry scripts and their preloads. */
async function entryBytes(dist: string): Promise<number> {
  const html = await readFile(join(dist, 'index.html'), 'utf8');
  const scripts = [...html.matchAll(/<(?:script[^>]+src|link[^>]+rel="modulepreload"[^>]+href)="\/?([^"]+\.js)"/g)];
  if (scripts.length === 0) throw new Error(`no script in ${dist}/index.html`);
  const sizes = await Promise.all(
    scripts.map(async ([, path = '']) => gzipSync(await readFile(join(dist, path)), { level: 9 }).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Gzipped bytes of the interface's entry, and of a page with React only. */
export async function measureEntry(): Promise<{ regie: number; bare: number }> {
  // Next to the interface, so that it resolves the same React.
  const folder = await mkdtemp(join(web, '.bare-'));
  try {
    await writeFile(join(folder, 'index.html'), '<div id="root"></div><script type="module" src="/main.js"></script>');
    await writeFile(
      join(folder, 'main.js'),
      `import { createElement } from 'react';
       import { createRoot } from 'react-dom/client';
       createRoot(document.getElementById('root')).render(createElement('p', null, 'Bonjour'));`,
    );
    await build({ root: folder, configFile: false, logLevel: 'error', build: { outDir: 'dist' } });
    return { regie: await entryBytes(join(web, 'dist')), bare: await entryBytes(join(folder, 'dist')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
