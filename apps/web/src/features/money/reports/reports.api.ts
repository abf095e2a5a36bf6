import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api, apiQuery } from '#src/lib/api.ts';

export const reportQuery = (id: number) => apiQuery(['report', id], routes.getReport, { params: { id } });

export const importQuery = (id: number) => apiQuery(['import', id], routes.getImport, { params: { id } });

export const stagedImportsQuery = apiQuery(['list', routes.listImports.path, 'staged'], routes.listImports, {
  query: { state: 'staged', limit: 500 },
});

export const unsavedRowsQuery = (id: number, limit: number) =>
  queryOptions({
    queryKey: ['import', id, 'unsaved', limit],
    queryFn: ({ signal }) => api(routes.listUnsavedRows, { params: { id }, query: { limit }, signal }),
  });

export const transactionQuery = (id: number) =>
  apiQuery(['ledger-transaction', id], routes.getLedgerTransaction, { params: { id } });
