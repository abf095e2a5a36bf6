import { notifyManager, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { createQueryClient } from './query-client.ts';

it('repeats a first load that began before an invalidation', async () => {
  const client = createQueryClient();
  let stored = 'before';
  const answers: (() => void)[] = [];
  const queryFn = () => {
    const read = stored;
    return new Promise<string>((resolve) => {
      answers.push(() => resolve(read));
    });
  };
  const observer = new QueryObserver(client, { queryKey: ['month'], queryFn });
  const stop = observer.subscribe(() => undefined);

  stored = 'after';
  const invalidated = client.invalidateQueries();
  await expect.poll(() => answers.length).toBe(2);
  for (const answer of answers) answer();
  await invalidated;
  expect(observer.getCurrentResult()).toMatchObject({ status: 'success', data: 'after' });
  stop();
  client.clear();
});

it('ends an invalidation once the screens have the reloaded data', async () => {
  const client = createQueryClient();
  let stored = 'before';
  const seen: (string | undefined)[] = [];
  const query = new QueryObserver(client, { queryKey: ['order'], queryFn: async () => stored });
  // As `useQuery` listens.
  const stop = query.subscribe(notifyManager.batchCalls(({ data }) => seen.push(data)));
  await expect.poll(() => seen.at(-1)).toBe('before');

  stored = 'after';
  await client.invalidateQueries();
  expect(seen.at(-1)).toBe('after');
  stop();
  client.clear();
});
