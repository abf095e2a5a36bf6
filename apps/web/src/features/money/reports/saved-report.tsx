import { paths } from '#src/app/paths.ts';
import { useCan } from '#src/lib/session.ts';
import { SuccessWithLink } from '#src/ui/success-with-link.tsx';
import { frReports } from './reports.fr.ts';

export function SavedReport({ id, text }: { id: number; text: string }) {
  const can = useCan();
  return (
    <SuccessWithLink to={paths.report(id)} label={frReports.single.see} canOpen={can('read_reports')}>
      {text}
    </SuccessWithLink>
  );
}
