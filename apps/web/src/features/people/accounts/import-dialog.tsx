import { Box, Button, Stack } from '@mantine/core';
import type { ColumnNames } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import type { ProfileImportOutcome } from '@regie/contract/routes/accounts.ts';
import type { ReactNode } from 'react';
import type { DialogState } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { Message } from '#src/ui/alerts.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { CheckedFile, FileCheckDrop, useFileCheck } from '#src/ui/file-check.tsx';
import shared from '#src/ui/shared.module.css';
import { frAccounts } from './accounts.fr.ts';

type Texts = 'hint' | 'drop' | 'formatHint' | 'templateFile' | 'noKeyColumn' | 'submit';

interface ImportDialogProps<Field extends string, Outcome> extends DialogState {
  title: string;
  texts: Readonly<Record<Texts, string>>;
  example: Readonly<Record<string, string>>;
  names: ColumnNames<Field>;
  maxRows: number;
  /** A file without any of them is refused. */
  keys: readonly Field[];
  send: (
    rows: Record<Field, string>[],
    options: { query: { dryRun?: 'true' }; signal?: AbortSignal; idempotencyKey?: string },
  ) => Promise<{ data: Outcome; message: string }>;
  verdict: (outcome: Outcome) => {
    summary: string;
    nothing?: string | undefined;
    canSave?: boolean;
    details?: ReactNode;
  };
}

/** A file whose rows the server validates before all or none are written. */
export function ImportDialog<Field extends string, Outcome extends Pick<ProfileImportOutcome, 'refused'>>(
  props: ImportDialogProps<Field, Outcome>,
) {
  const { texts: t, names, maxRows, keys, send } = props;
  const file = useFileCheck<Field, { outcome: Outcome }>({
    ...{ names, maxRows, wrongType: messages.excelFileType },
    check: async ({ fields, rows }, signal) => {
      if (!keys.some((key) => fields.includes(key))) throw new TableRefusal(t.noKeyColumn);
      return { outcome: (await send(rows, { query: { dryRun: 'true' }, signal })).data };
    },
  });
  const close = () => {
    file.reset();
    props.onClose();
  };
  const { checked, isSaving } = file;
  const save = ({ rows, key }: NonNullable<typeof checked>) =>
    file.save(async () => {
      flashSuccess((await send(rows, { query: {}, idempotencyKey: key })).message);
      close();
    });
  const { refused = [] } = checked?.outcome ?? {};
  const { summary = '', nothing, canSave = true, details } = checked ? props.verdict(checked.outcome) : {};
  return (
    <Dialog
      isOpen={props.isOpen}
      isDirty={file.isDirty}
      onClose={isSaving ? () => undefined : close}
      title={props.title}
      size="lg"
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <p className={shared.muted}>{t.hint}</p>
        <FileCheckDrop
          check={file}
          label={t.drop}
          hint={t.formatHint}
          template={{ file: t.templateFile, example: props.example }}
        />
        {checked && (
          <CheckedFile
            summary={summary}
            notes={checked.notes}
            nothing={refused.length > 0 ? undefined : nothing}
            cancel={<CancelButton disabled={isSaving} />}
            submit={
              <Button loading={isSaving} disabled={refused.length > 0 || !canSave} onClick={() => void save(checked)}>
                {t.submit}
              </Button>
            }
          >
            {refused.length > 0 && (
              <>
                <Message text={frAccounts.import.correct} />
                <Box component="ul" fz={13} className={shared.bullets}>
                  {refused.map(({ row, message }) => (
                    <li key={row}>{frAccounts.import.row(row, message)}</li>
                  ))}
                </Box>
              </>
            )}
            {details}
          </CheckedFile>
        )}
      </Stack>
    </Dialog>
  );
}
