import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { type ApiAnswer, ApiError } from '#src/lib/api.ts';
import { useConfirmation } from '#src/ui/confirmation.tsx';
import { frReports } from './reports.fr.ts';

const t = frReports.second;

type Send<Data> = (options: { again: boolean; idempotencyKey: string }) => Promise<ApiAnswer<Data>>;

interface DuplicateReportConfirmation {
  /** Sends, and sends again when the user confirms a second report of the month. @throws ApiError */
  send: <Data>(call: Send<Data>, idempotencyKey: string) => Promise<ApiAnswer<Data>>;
  question: ReactNode;
}

export function useDuplicateReportConfirmation(): DuplicateReportConfirmation {
  const { ask, question } = useConfirmation();
  return {
    send: async (call, idempotencyKey) => {
      try {
        return await call({ again: false, idempotencyKey });
      } catch (error) {
        if (!(error instanceof ApiError) || error.errors.again === undefined) throw error;
        const message = error.errors.again;
        const name = (
          <Link to={paths.report(Number(error.errors.report))} target="_blank">
            {message}
          </Link>
        );
        const isWanted = await ask({ name, consequence: t.consequence, verb: t.verb, isSafe: true });
        if (!isWanted) throw new ApiError(409, 'conflict', message);
        // A separate key, the same for each attempt, so that a lost response does not create two reports.
        return call({ again: true, idempotencyKey: `${idempotencyKey}-again` });
      }
    },
    question,
  };
}
