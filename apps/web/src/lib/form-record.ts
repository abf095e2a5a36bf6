import { type QueryFunction, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

// History state survives a reload of the page.
const freshForMs = 30_000;

/**
 * The record of a form, as read when it opens: what is read later must not replace the input. `reload` fills the form
 * anew, which is keyed by `version`.
 * @param passed the record as the former page has read it
 */
export function useFormRecord<Data>(
  query: { queryKey: QueryKey; queryFn?: QueryFunction<Data> },
  passed?: { data: Data; readAt: number },
) {
  const queryClient = useQueryClient();
  const [record, setRecord] = useState(() =>
    passed && Date.now() - passed.readAt < freshForMs ? passed.data : undefined,
  );
  const [version, setVersion] = useState(0);
  const loaded = useQuery<Data>({ ...query, staleTime: 0, gcTime: 0 });
  const reload = async () => {
    setRecord(await queryClient.fetchQuery<Data>({ ...query, staleTime: 0 }));
    setVersion((count) => count + 1);
  };
  return { record: record ?? (loaded.isFetchedAfterMount ? loaded.data : undefined), loaded, version, reload };
}
