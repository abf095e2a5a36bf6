import { routes } from '@regie/contract/routes.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';

export const reportQuery = (id: number) =>
  queryOptions({
    queryKey: ['report', id],
    queryFn: async ({ signal }) => (await api(routes.getReport, { params: { id }, signal })).data,
  });

export const importQuery = (id: number) =>
  queryOptions({
    queryKey: ['import', id],
    queryFn: async ({ signal }) => (await api(routes.getImport, { params: { id }, signal })).data,
  });

export const stagedImportsQuery = queryOptions({
  queryKey: ['list', routes.listImports.path, 'staged'],
  queryFn: async ({ signal }) =>
    (await api(routes.listImports, { query: { state: 'staged', limit: 500 }, signal })).data,
});

/** The first unsaved rows of an import, and their total. */
export const unsavedRowsQuery = (id: number, limit: number) =>
  queryOptions({
    queryKey: ['import', id, 'unsaved', limit],
    queryFn: ({ signal }) => api(routes.listUnsavedRows, { params: { id }, query: { limit }, signal }),
  });

export const transactionQuery = (id: number) =>
  queryOptions({
    queryKey: ['ledger-transaction', id],
    queryFn: async ({ signal }) => (await api(routes.getLedgerTransaction, { params: { id }, signal })).data,
  });
