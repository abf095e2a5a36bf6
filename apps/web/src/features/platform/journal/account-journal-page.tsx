import { useIdParam } from '#src/lib/id-param.ts';
import { useCan } from '#src/lib/session.ts';
import { RightGate } from '#src/ui/states.tsx';
import { JournalList } from './journal-list.tsx';

/** The journal of one account and of what belongs to it, as a tab. */
export default function AccountJournalPage() {
  const id = useIdParam();
  return <RightGate isAllowed={useCan()('read_audit')}>{id !== undefined && <JournalList accountId={id} />}</RightGate>;
}
