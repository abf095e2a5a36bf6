import { Box, Button } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconFileText } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { frContract } from '#src/domain/documents/contract.fr.ts';
import { api } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';

const t = frContract;
const readers = routes.getLicenceContract.capability;

/** The button that generates a release's licence contract, with its result; hidden from those who may not read it. */
export function useContract(releaseId: number): { button: ReactNode; notice: ReactNode } {
  const can = useCan();
  const [isBusy, setIsBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ tone: 'success' | 'error'; text: string }>();
  if (typeof readers !== 'string' && !readers.some(can)) return { button: null, notice: null };

  const make = async () => {
    setIsBusy(true);
    setOutcome(undefined);
    try {
      const [{ data }, { downloadContract }] = await Promise.all([
        api(routes.getLicenceContract, { params: { id: releaseId } }),
        import('#src/domain/documents/licence-contract-pdf.ts'),
      ]);
      const { fileName, missing } = await downloadContract(data);
      const rest = missing.length > 0 ? [t.missing(missing)] : [];
      setOutcome({ tone: 'success', text: [`${t.made(fileName)}.`, ...rest].join(' ') });
    } catch {
      // Every error has the same message (product §18.5).
      setOutcome({ tone: 'error', text: messages.retry });
    } finally {
      setIsBusy(false);
    }
  };
  return {
    button: (
      <Button variant="default" loading={isBusy} leftSection={buttonIcon(IconFileText)} onClick={() => void make()}>
        {t.button}
      </Button>
    ),
    notice: outcome && (
      <Box mb="md">
        <Notice tone={outcome.tone} onDismiss={() => setOutcome(undefined)}>
          {outcome.text}
        </Notice>
      </Box>
    ),
  };
}
