import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { LookupField, type LookupFieldProps } from '#src/ui/lookup-field.tsx';
import { lookupAccounts } from './lookups.ts';

export const AccountField = (props: Omit<LookupFieldProps<LookupItem>, 'lookup'>) => (
  <LookupField {...props} lookup={lookupAccounts} />
);
