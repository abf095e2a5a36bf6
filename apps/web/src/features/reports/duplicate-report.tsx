import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { type ApiAnswer, ApiError } from '#src/lib/api.ts';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { frReports } from './reports.fr.ts';

const t = frReports.second;

type Send<Data> = (options: { again: boolean; idempotencyKey: string }) => Promise<ApiAnswer<Data>>;

interface DuplicateReportConfirmation {
  /** Sends, and sends again when the user confirms a second report of the month. @throws ApiError */
  send: <Data>(call: Send<Data>, idempotencyKey: string) => Promise<ApiAnswer<Data>>;
  /** Rendered beside the form. */
  question: ReactNode;
}

/** Asks before a second manual report of the same track or account and month. */
export function useDuplicateReportConfirmation(): DuplicateReportConfirmation {
  const [first, setFirst] = useState<{ message: string; id: number }>();
  const [isAsking, setIsAsking] = useState(false);
  const answer = useRef<(isWanted: boolean) => void>(undefined);
  return {
    send: async (call, idempotencyKey) => {
      try {
        return await call({ again: false, idempotencyKey });
      } catch (error) {
        if (!(error instanceof ApiError) || error.errors.again === undefined) throw error;
        const message = error.errors.again;
        setFirst({ message, id: Number(error.errors.report) });
        setIsAsking(true);
        const isWanted = await new Promise<boolean>((resolve) => {
          answer.current = resolve;
        });
        if (!isWanted) throw new ApiError(409, 'conflict', message);
        // A separate key, the same for each attempt, so that a lost response does not create two reports.
        return call({ again: true, idempotencyKey: `${idempotencyKey}-again` });
      }
    },
    question: first !== undefined && (
      <ConfirmModal
        isOpen={isAsking}
        onClose={() => {
          setIsAsking(false);
          answer.current?.(false);
        }}
        name={
          <Link to={paths.report(first.id)} target="_blank">
            {first.message}
          </Link>
        }
        consequence={t.consequence}
        verb={t.verb}
        isSafe
        onConfirm={async () => answer.current?.(true)}
      />
    ),
  };
}
