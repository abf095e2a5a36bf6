import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { build } from 'vite';
import { median } from './lists.ts';

const web = resolve(import.meta.dirname, '../../apps/web');

const source = `import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  import { flushSync } from 'react-dom';
  const attribute = ({ name, value, ownerElement: { style } }) =>
    [name, name === 'style' ? Object.fromEntries([...style].map((key) => [key, style.getPropertyValue(key)])) : value];
  const copy = (node, key) => node.nodeType === Node.TEXT_NODE ? node.data
    : createElement(node.localName, { key, ...Object.fromEntries([...node.attributes].map(attribute)) },
        ...[...node.childNodes].filter(({ nodeType }) => nodeType !== Node.COMMENT_NODE).map(copy));
  const copyMain = () => [...document.querySelector('main').childNodes].map(copy);
  const start = (list, record) => {
    const main = document.querySelector('main');
    const own = main.cloneNode();
    main.replaceWith(own);
    const root = createRoot(own);
    const show = (tree) => flushSync(() => root.render(tree));
    Object.assign(window.bare, { showList: () => show(list), showRecord: () => show(record) });
  };
  window.bare = { copyMain, start };`;

/** The script that renders copies of pages with React alone; it does not load anything. */
export async function buildBareReact(): Promise<string> {
  // Next to the interface, so that it resolves the same React.
  const folder = await mkdtemp(join(web, '.bare-'));
  try {
    await writeFile(join(folder, 'main.js'), source);
    const lib = { entry: 'main.js', formats: ['iife' as const], name: 'bare', fileName: () => 'bare.js' };
    const define = { 'process.env.NODE_ENV': '"production"' };
    await build({ root: folder, configFile: false, logLevel: 'error', define, build: { outDir: 'dist', lib } });
    return await readFile(join(folder, 'dist', 'bare.js'), 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

declare global {
  interface Window {
    bare: {
      copyMain: () => unknown;
      start: (list: unknown, record: unknown) => void;
      showList: () => void;
      showRecord: () => void;
      copied?: unknown;
      ms?: number | undefined;
    };
  }
}

/**
 * Milliseconds from a click on a list to the painted record when React alone renders the same elements in the same
 * styles: what a router, queries and components add to.
 * @param page shows the list
 */
export async function measureBare(page: Page, script: string, repeats: number, isReady: () => Promise<void>) {
  await page.evaluate(script);
  const leave = async (act: () => Promise<unknown>) => {
    const title = await page.locator('main h1').elementHandle();
    await act();
    await title?.waitForElementState('hidden');
    await isReady();
  };
  await leave(() => page.locator('main [data-row-open]').first().click());
  await page.evaluate(() => {
    const { bare } = window;
    bare.copied = bare.copyMain();
  });
  await leave(() => page.goBack());
  await page.evaluate(() => {
    const { bare } = window;
    bare.start(bare.copyMain(), bare.copied);
    bare.showList();
    document.querySelector('main')?.addEventListener('click', (event) => {
      event.preventDefault();
      bare.showRecord();
      requestAnimationFrame(() => setTimeout(() => (bare.ms = performance.now() - event.timeStamp)));
    });
  });
  const times: number[] = [];
  while (times.length < repeats) {
    await page.locator('main [data-row-open]').first().click();
    await page.waitForFunction(() => window.bare.ms !== undefined);
    times.push(await page.evaluate(() => window.bare.ms ?? Number.NaN));
    await page.evaluate(() => {
      const { bare } = window;
      bare.ms = undefined;
      bare.showList();
    });
  }
  return median(times);
}
