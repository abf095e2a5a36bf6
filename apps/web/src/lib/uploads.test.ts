import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ApiError } from './api.ts';
import { maxUnexpected } from './upload-waiting.ts';
import { createUploads } from './uploads.ts';

const words = {
  waiting: '',
  checking: '',
  pause: '',
  resume: '',
  paused: () => '',
  cancelled: '',
  offline: () => '',
  signedOut: '',
  unreadable: '',
  done: '',
};

const stored = new Map<string, string>();
beforeAll(() => {
  const localStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  };
  vi.stubGlobal('window', Object.assign(new EventTarget(), { localStorage }));
});
afterAll(() => vi.unstubAllGlobals());

it('does not continue another file of the same name and size that another tab began', async () => {
  const uploads = createUploads<string>({ chunkBytes: 4, atOnce: 1, isElsewhere: () => true, words });
  const begun: boolean[] = [];
  const whole = Promise.withResolvers<string>();
  uploads.start({
    key: 1,
    title: 'a.csv',
    file: new File(['12345678'], 'a.csv', { lastModified: 1 }),
    workTitle: 'a.csv',
    memoryKey: 'upload.a.csv',
    endpoint: {
      begin: async ({ isOurs }) => {
        begun.push(isOurs);
        return { received: 0 };
      },
      send: async (chunk, { start, isLast }) => {
        if (begun.length > 1) return { received: start + chunk.size, ...(isLast && { result: 'stored' }) };
        if (start === 0) return { received: 4 };
        // The other tab's.
        stored.set('regie.upload.a.csv', '8 2 a.csv');
        throw new ApiError(409, 'conflict', '');
      },
      cancel: async () => undefined,
    },
    onStored: whole.resolve,
  });
  expect(await whole.promise).toBe('stored');
  expect(begun).toEqual([false, false]);
});

it('fails when each first chunk is followed by the beginning of another tab', async () => {
  const uploads = createUploads<string>({ chunkBytes: 4, atOnce: 1, isElsewhere: () => true, words });
  let begun = 0;
  uploads.start({
    key: 1,
    title: 'a.csv',
    file: new File(['12345678'], 'a.csv', { lastModified: 1 }),
    workTitle: 'a.csv',
    memoryKey: 'upload.turns.csv',
    endpoint: {
      begin: async () => {
        begun += 1;
        return { received: 0 };
      },
      send: async (_chunk, { start }) => {
        if (start === 0) return { received: 4 };
        throw new ApiError(409, 'conflict', '');
      },
      cancel: async () => undefined,
    },
    onStored: () => undefined,
  });
  await expect.poll(() => uploads.find(1)?.phase).toBe('failed');
  expect(begun).toBe(maxUnexpected + 1);
});
