import { useIdParam } from '#src/lib/id-param.ts';
import { useCan } from '#src/lib/session.ts';
import { RightGate } from '#src/ui/states.tsx';
import { JournalList } from './journal-list.tsx';

/** The journal of one account, as a tab of it. */
export default function AccountJournalPage() {
  const id = useIdParam();
  return (
    <RightGate isAllowed={useCan()('read_audit')}>
      <JournalList query={{ entity: 'account', entityId: String(id) }} />
    </RightGate>
  );
}
