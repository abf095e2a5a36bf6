import { Box, Button, Group, Radio, Stack } from '@mantine/core';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import type { UnmatchedDetail } from '@regie/contract/routes/unmatched.ts';
import { formatInteger, formatMonth } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { lookupTracks } from '#src/domain/lookups.ts';
import { formatLine, formatLineWithin } from '#src/domain/tracks/line-names.ts';
import { frSourceLines } from '#src/domain/tracks/source-lines.fr.ts';
import { FileRows, SourceLines } from '#src/domain/tracks/source-lines.tsx';
import { useAct } from '#src/lib/act.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message } from '#src/ui/alerts.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { ExactMoney } from '#src/ui/exact.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { Money } from '#src/ui/money.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { assign } from './assign.tsx';
import { unmatchedItemQuery, unmatchedLinesQuery } from './unmatched.api.ts';
import { frUnmatched } from './unmatched.fr.ts';
import classes from './unmatched.module.css';
import { Amounts, Codes, TrackCell, trackText } from './unmatched-labels.tsx';

const t = frUnmatched;
const r = frSourceLines;

interface AssignModalProps {
  itemKey: string | undefined;
  isSearching: boolean;
  onClose: () => void;
}

export function AssignModal({ itemKey, isSearching, onClose }: AssignModalProps) {
  const canEdit = useCan()('edit_reports');
  return (
    <Dialog
      isOpen={itemKey !== undefined}
      onClose={onClose}
      title={canEdit ? t.modal.title : t.modal.readTitle}
      size="xl"
    >
      {itemKey !== undefined && (
        <ItemLoader key={itemKey} itemKey={itemKey} isSearching={isSearching} canEdit={canEdit} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ItemLoader({ itemKey, canEdit, ...form }: AssignModalProps & { itemKey: string; canEdit: boolean }) {
  const item = useQuery(unmatchedItemQuery(itemKey));
  if (!item.data) return <Loading query={item} placeholder={<TableSkeleton rows={8} />} />;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          { label: t.column.title, value: item.data.title || t.untitled },
          ...(item.data.artist ? [{ label: t.column.artist, value: item.data.artist }] : []),
          { label: t.column.code, value: <Codes item={item.data} /> },
          { label: t.column.reason, value: t.reason[item.data.reason] },
          { label: t.column.amount, value: <Amounts of={item.data} /> },
        ]}
      />
      {canEdit ? <AssignForm item={item.data} {...form} /> : <Suggestions item={item.data} />}
      <Files item={item.data} />
    </Stack>
  );
}

function Suggestions({ item }: { item: UnmatchedDetail }) {
  if (item.candidates.length === 0) return <p className={shared.note}>{t.noSuggestion}</p>;
  return (
    <div>
      <Box component="h3" mt={8} fz={14} fw={600}>
        {t.modal.suggestions}
      </Box>
      <Stack component="ul" gap={12}>
        {item.candidates.map((candidate) => (
          <li key={candidate.trackId}>
            <TrackCell track={candidate} note={t.ground[candidate.ground]} />
          </li>
        ))}
      </Stack>
    </div>
  );
}

const another = 'another';

function AssignForm({
  item,
  isSearching,
  onClose,
}: Pick<AssignModalProps, 'isSearching' | 'onClose'> & { item: UnmatchedDetail }) {
  const [offered] = useState(() => {
    const [first] = item.candidates;
    if (!first || isSearching) return another;
    return item.isClear ? String(first.trackId) : null;
  });
  const [choice, setChoice] = useState(offered);
  const [picked, setPicked] = useState<LookupItem | null>(null);
  const [error, setError] = useState<string>();
  const { act, isBusy, failure, setFailure } = useAct();
  const form = useRef<HTMLFormElement>(null);
  useUnsavedChanges(picked !== null || choice !== offered);
  useEffect(() => {
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector);
    if (error) (find('[aria-invalid="true"]') ?? find('input[type="radio"]'))?.focus();
  }, [error]);
  const candidate = item.candidates.find(({ trackId }) => String(trackId) === choice);
  const track =
    candidate ?? (choice === another && picked ? { trackId: picked.id, trackTitle: picked.label } : undefined);
  const submit = () => {
    if (!track) return setError(t.modal.choose);
    act(async (options) => {
      const done = await assign(item, track, options);
      onClose();
      return done;
    });
  };
  const lookup = (
    <LookupField
      hasFirstFocus={isSearching}
      label={t.modal.lookup}
      description={t.modal.lookupHint}
      value={picked}
      lookup={lookupTracks}
      onChange={(value) => {
        setPicked(value);
        setError(undefined);
      }}
      error={choice === another ? error : undefined}
      required
    />
  );
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      noValidate
    >
      <Stack gap="sm">
        <Message text={failure} onDismiss={setFailure} />
        {item.candidates.length > 0 ? (
          <>
            <Radio.Group
              label={t.modal.track}
              value={choice}
              error={choice === null ? error : undefined}
              onChange={(value) => {
                setChoice(value);
                setError(undefined);
              }}
            >
              <Stack gap={8} mt={8}>
                {item.candidates.map((one) => (
                  <Radio
                    key={one.trackId}
                    value={String(one.trackId)}
                    label={trackText(one)}
                    description={t.ground[one.ground]}
                  />
                ))}
                <Radio value={another} label={t.modal.another} />
              </Stack>
            </Radio.Group>
            {choice === another && lookup}
          </>
        ) : (
          lookup
        )}
        <p className={shared.note}>{t.modal.remembered}</p>
        <Group justify="flex-end" gap="sm">
          <CancelButton disabled={isBusy} />
          <Button type="submit" loading={isBusy}>
            {t.modal.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const Files = ({ item }: { item: UnmatchedDetail }) => (
  <div>
    <Box component="h3" mt={8} fz={14} fw={600}>
      {t.modal.files}
    </Box>
    <PlainTable
      maxHeight={420}
      name={t.modal.files}
      head={[
        t.column.file,
        t.column.month,
        { right: t.column.quantity },
        { right: t.column.amount },
        { hidden: r.detail },
      ]}
    >
      <FileRows
        rows={item.files}
        columns={5}
        cells={(file) => (
          <>
            <td data-short>{formatMonth(file.month)}</td>
            <td data-align="right">{formatInteger(file.quantity)}</td>
            <td data-align="right">
              {file.currency !== 'EUR' && (
                <div>{file.amountEur === null ? t.noRate : <Money amount={file.amountEur} currency="EUR" />}</div>
              )}
              <span className={file.currency === 'EUR' ? undefined : shared.under}>
                <ExactMoney amount={file.amount} currency={file.currency} />
              </span>
            </td>
          </>
        )}
        detail={(statementId, fileName) => (
          <FileLines itemKey={item.key} statementId={statementId} fileName={fileName} />
        )}
      />
    </PlainTable>
  </div>
);

function FileLines({ itemKey, statementId, fileName }: { itemKey: string; statementId: number; fileName: string }) {
  const lines = useQuery(unmatchedLinesQuery(itemKey, statementId));
  if (!lines.data) return <Loading query={lines} placeholder={<TableSkeleton rows={2} />} />;
  return (
    <SourceLines
      {...lines.data}
      fileName={fileName}
      lineNumber={(line) => (
        <Link
          className={classes.line}
          aria-label={r.showLine(formatLineWithin(line), fileName)}
          to={paths.storeStatement(statementId)}
          search={{ line: String(line) }}
        >
          {formatLine(line)}
        </Link>
      )}
    />
  );
}
