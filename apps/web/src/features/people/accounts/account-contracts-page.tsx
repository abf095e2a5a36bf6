import { RecordPage } from '#src/ui/record-page.tsx';
import { AccountContracts } from './account-contracts.tsx';
import { AccountTab } from './account-tab.tsx';
import { AccountTickets } from './account-tickets.tsx';

export default function AccountContractsPage() {
  return (
    <AccountTab>
      {(profile) => (
        <RecordPage header={null}>
          <AccountContracts profile={profile} />
          <AccountTickets accountId={profile.id} />
        </RecordPage>
      )}
    </AccountTab>
  );
}
