import { Box } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flashSuccess } from '#src/lib/flash.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import shared from '#src/ui/shared.module.css';
import { refuseStatement, startStatementUpload } from './statement-upload.ts';
import { frStatements } from './statements.fr.ts';

const t = frStatements;
export const acceptedStatements = '.csv,.tsv,.txt,.tab,.xls,.xlsx,.zip,.gz';

export function StatementDrop() {
  const queryClient = useQueryClient();
  const [refused, setRefused] = useState<readonly { name: string; reason: string }[]>([]);
  const take = (files: readonly File[]) => {
    const checkedFiles = files.map((file) => ({ file, reason: refuseStatement(file) }));
    setRefused(checkedFiles.flatMap(({ file, reason }) => (reason === undefined ? [] : [{ name: file.name, reason }])));
    const sent = checkedFiles.filter(({ reason }) => reason === undefined);
    if (sent.length === 0) return;
    const dismiss = flashSuccess(t.upload.started(sent.length));
    let left = sent.length;
    for (const { file } of sent) {
      startStatementUpload(file, {
        onStored: () => void queryClient.invalidateQueries(),
        onEnd: () => {
          left -= 1;
          if (left === 0) dismiss();
        },
      });
    }
  };
  return (
    <Box mb={20}>
      <Dropzone label={t.list.drop} accept={acceptedStatements} onFiles={take} hint={t.list.dropHint} />
      {refused.length > 0 && (
        <Notice tone="error" onDismiss={() => setRefused([])}>
          {t.list.refused}
          <Box component="ul" mt={6} className={shared.bullets}>
            {refused.map(({ name, reason }) => (
              <li key={name}>
                {name} : {reason}
              </li>
            ))}
          </Box>
        </Notice>
      )}
    </Box>
  );
}
