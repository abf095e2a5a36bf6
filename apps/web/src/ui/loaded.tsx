import type { ReactNode } from 'react';
import { ErrorState, PageSkeleton } from './states.tsx';

interface LoadingProps {
  query: { error: unknown; isError: boolean; refetch: () => unknown };
  placeholder?: ReactNode;
}

export function Loading({ query, placeholder = <PageSkeleton /> }: LoadingProps) {
  return query.isError ? <ErrorState query={query} /> : placeholder;
}

/** The content made of a query's data, which stays when loading it again fails. */
export function Loaded<Data>({
  children,
  after,
  ...rest
}: LoadingProps & {
  query: { data: Data | undefined };
  /** What it loads beside: shown before that is answered, the content would move. */
  after?: { isPending: boolean };
  children: (data: Data) => ReactNode;
}) {
  const { data } = rest.query;
  return data === undefined || after?.isPending ? <Loading {...rest} /> : children(data);
}
