import { MutationObserver, notifyManager, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { createQueryClient } from './query-client.ts';

it('asks again for what loads for the first time while something changes', async () => {
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

it('ends a mutation once the screens have what it reloaded', async () => {
  const client = createQueryClient();
  let stored = 'before';
  const seen: (string | undefined)[] = [];
  const query = new QueryObserver(client, { queryKey: ['order'], queryFn: async () => stored });
  // As `useQuery` listens.
  const stopQuery = query.subscribe(notifyManager.batchCalls(({ data }) => seen.push(data)));
  await expect.poll(() => seen.at(-1)).toBe('before');

  const mutation = new MutationObserver(client, {
    mutationFn: async () => {
      stored = 'after';
    },
  });
  const stopMutation = mutation.subscribe(() => undefined);
  await mutation.mutate(undefined, { onSuccess: () => seen.push('end') });
  expect(seen.slice(-2)).toEqual(['after', 'end']);
  stopMutation();
  stopQuery();
  client.clear();
});
