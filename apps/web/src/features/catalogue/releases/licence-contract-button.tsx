import { Box, Button } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconFileText } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { frContract } from '#src/domain/documents/contract.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { Message } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';

const t = frContract;
const readers = routes.getLicenceContract.capability;

/** The button that generates a release's licence contract, with its result; hidden from those who may not read it. */
export function useContract(releaseId: number): { button: ReactNode; notice: ReactNode } {
  const can = useCan();
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  if (typeof readers !== 'string' && !readers.some(can)) return { button: null, notice: null };

  const make = () =>
    act(async () => {
      const [{ data }, { downloadContract }] = await Promise.all([
        api(routes.getLicenceContract, { params: { id: releaseId } }),
        import('#src/domain/documents/licence-contract-pdf.ts'),
      ]);
      const { fileName, missing } = await downloadContract(data);
      const rest = missing.length > 0 ? [t.missing(missing)] : [];
      return [`${t.made(fileName)}.`, ...rest].join(' ');
    });
  return {
    button: (
      <Button variant="default" loading={isBusy} leftSection={buttonIcon(IconFileText)} onClick={make}>
        {t.button}
      </Button>
    ),
    // Every error has the same message (product §18.5).
    notice: failure && (
      <Box mb="md">
        <Message tone="error" text={messages.retry} onDismiss={setFailure} />
      </Box>
    ),
  };
}
