import { Button } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { flashProblem, flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { HiddenFileInput } from '#src/ui/hidden-file-input.tsx';
import { usePageDrop } from '#src/ui/page-drop.ts';
import shared from '#src/ui/shared.module.css';
import { refuseStatement, startStatementUpload } from './statement-upload.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements;
export const acceptedStatements = '.csv,.tsv,.txt,.tab,.xls,.xlsx,.zip,.gz';

/** A button; the whole page takes files that are dropped on it. @param isMain the page's first action */
export function StatementDrop({ isMain }: { isMain: boolean }) {
  const queryClient = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const take = (files: FileList | null | undefined) => {
    const checkedFiles = [...(files ?? [])].map((file) => ({ file, reason: refuseStatement(file) }));
    const refused = checkedFiles.filter(({ reason }) => reason !== undefined);
    const sent = checkedFiles.filter(({ reason }) => reason === undefined);
    const dismiss = sent.length > 0 ? flashSuccess(t.upload.started(sent.length)) : undefined;
    if (refused.length > 0) {
      flashProblem(
        <>
          {t.list.refused}
          <ul className={shared.bullets}>
            {refused.map(({ file, reason }) => (
              <li key={file.name}>
                {file.name} : {reason}
              </li>
            ))}
          </ul>
        </>,
      );
    }
    let left = sent.length;
    for (const { file } of sent) {
      startStatementUpload(file, {
        onStored: () => void queryClient.invalidateQueries(),
        onEnd: () => {
          left -= 1;
          if (left === 0) dismiss?.();
        },
      });
    }
  };
  const isOver = usePageDrop(button, take);
  return (
    <>
      <Button
        ref={button}
        data-drop
        variant={isMain ? 'filled' : 'default'}
        leftSection={buttonIcon(IconFileUpload)}
        aria-label={`${t.list.drop}\u00a0: ${fr.form.chooseMany}`}
        title={t.list.dropHint}
        onClick={() => input.current?.click()}
      >
        {t.list.drop}
      </Button>
      <HiddenFileInput ref={input} accept={acceptedStatements} multiple onFiles={take} />
      {isOver && <div className={classes.dropTarget} aria-hidden />}
    </>
  );
}
