import { Box, NativeSelect, SimpleGrid, Stack } from '@mantine/core';
import type { PresetRow, StatementDetail, StatementHead } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { type Charset, ownPresetId, statementMessages } from '@regie/contract/statements.ts';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { ApiError, api, errorSentence, isNotFound } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Form } from '#src/ui/form.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState, NotFound, PageSkeleton } from '#src/ui/states.tsx';
import { CharsetField, SheetsField, sheetsChoice, usualSheets } from './file-fields.tsx';
import { ReadingCount } from './mapping-count.tsx';
import { EmptyAmountFields, PreambleFields, PresetFields } from './mapping-fields.tsx';
import {
  isHeaderMissing,
  isMapped,
  type MappingValues,
  needsCurrency,
  preambleOf,
  sourceOf,
  startMapping,
  startPresetEdit,
  toPreset,
} from './mapping-form.ts';
import { RuleFields } from './mapping-rules.tsx';
import { MappingTable } from './mapping-table.tsx';
import { canReadAgain } from './read-again.tsx';
import { statementHead, statementTabs } from './statement-frame.tsx';
import { headQuery, presetsQuery, statementQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.mapping;

export default function StatementMappingPage() {
  const id = useIdParam();
  const statement = useQuery({ ...statementQuery(id ?? 0), enabled: id !== undefined });
  const presets = useQuery(presetsQuery);
  const { search } = useListState();
  if (id === undefined || isNotFound(statement.error)) return <NotFound />;
  const failed = [statement, presets].find(({ isError, data }) => isError && data === undefined);
  if (failed) return <ErrorState query={failed} />;
  if (!statement.data || !presets.data) return <PageSkeleton shape="rows" />;
  const editedPreset = presets.data.find((preset) => preset.id !== null && String(preset.id) === search.preset);
  return (
    <RecordPage
      header={
        <PageHeader
          {...statementHead(statement.data, frScreens.reports.mapping)}
          text={statement.data.source !== null && statement.data.fileName}
        />
      }
      tabs={statementTabs(statement.data)}
    >
      {canReadAgain(statement.data) ? (
        <MappedFile
          key={id}
          statement={statement.data}
          editedPreset={editedPreset}
          isGone={search.preset !== undefined && !editedPreset}
        />
      ) : (
        <Notice tone="info">
          {t.notWaiting} <BackLink id={id} />
        </Notice>
      )}
    </RecordPage>
  );
}

const BackLink = ({ id }: { id: number }) => (
  <Link className={shared.textLink} to={paths.storeStatement(id)}>
    {t.back}
  </Link>
);

interface MappedFileProps {
  statement: StatementDetail;
  editedPreset: PresetRow | undefined;
  isGone: boolean;
}

function MappedFile({ statement, editedPreset: initialPreset, isGone }: MappedFileProps) {
  const { id, choices } = statement;
  // Saving changes the list of presets: the form keeps the one it started with.
  const [editedPreset] = useState(initialPreset);
  const [sheet, setSheet] = useState<string>();
  const [charset, setCharset] = useState<Charset | ''>(choices.charset ?? '');
  const [sheets, setSheets] = useState<string[] | undefined>(choices.sheets ?? undefined);
  const head = useQuery({
    ...headQuery(id, { sheet, charset: charset || undefined }),
    placeholderData: keepPreviousData,
  });
  if (!head.data) {
    return head.isError ? (
      <Notice tone="error">
        {errorSentence(head.error)} <BackLink id={id} />
      </Notice>
    ) : (
      <PageSkeleton shape="rows" isBody />
    );
  }
  const allSheets = head.data.sheets;
  const usual = usualSheets(head.data);
  const chosen = sheets ?? usual;
  return (
    <Stack gap={28} className={classes.mapping}>
      <p>{editedPreset ? t.introMend(editedPreset.name) : t.intro}</p>
      {isGone && <Notice tone="note">{t.presetGone}</Notice>}
      {(allSheets.length > 1 || head.data.charset !== null) && (
        <Section title={t.file}>
          <SimpleGrid minColWidth="min(220px, 100%)" autoFlow="auto-fit" spacing={16}>
            {allSheets.length > 1 && (
              <NativeSelect
                label={t.sheet}
                value={sheet ?? head.data.sheet ?? ''}
                onChange={(event) => setSheet(event.currentTarget.value)}
                data={allSheets}
              />
            )}
            {head.data.charset !== null && (
              <CharsetField
                detected={charset === '' ? head.data.charset : undefined}
                value={charset}
                onChange={setCharset}
              />
            )}
            {allSheets.length > 1 && (
              <SheetsField
                sheets={allSheets}
                value={chosen}
                onChange={setSheets}
                error={chosen.length === 0 && frStatements.again.sheetsRequired}
              />
            )}
          </SimpleGrid>
        </Section>
      )}
      {head.isError && <Notice tone="error">{errorSentence(head.error)}</Notice>}
      {head.isPlaceholderData ? (
        <PageSkeleton shape="rows" isBody />
      ) : (
        <Mapping
          // Another encoding or sheet has other columns.
          key={`${sheet ?? ''} ${charset}`}
          statement={statement}
          head={head.data}
          editedPreset={editedPreset}
          reading={{ charset: charset || null, sheets: allSheets.length > 1 ? sheetsChoice(usual, chosen) : undefined }}
        />
      )}
    </Stack>
  );
}

interface MappingProps {
  statement: StatementDetail;
  head: StatementHead;
  editedPreset: PresetRow | undefined;
  reading: { charset: Charset | null; sheets?: string[] | null };
}

/** @throws ApiError validation_failed for missing values of this file that are not part of its preset */
function requireMapping(head: StatementHead, values: MappingValues, { sheets }: MappingProps['reading']): void {
  const errors = {
    ...(isHeaderMissing(head, values) ? { headerLine: t.headerUnknown } : {}),
    ...(!isMapped(values, 'month') && values.month === undefined ? { month: statementMessages.monthRequired } : {}),
    ...(needsCurrency(head, values) && !/^[A-Z]{3}$/.test(values.currency)
      ? { currency: statementMessages.currencyRequired }
      : {}),
    ...(sheets?.length === 0 ? { sheets: frStatements.again.sheetsRequired } : {}),
  };
  const [first] = Object.values(errors);
  if (first !== undefined) throw new ApiError(422, 'validation_failed', first, errors);
}

function Mapping({ statement, head, editedPreset, reading }: MappingProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { id } = statement;
  const fileValues = {
    ...{ currency: statement.choices.currency ?? '', month: statement.accountingMonth ?? undefined },
    source: statement.source ?? sourceOf(statement.fileName),
  };
  const values = useRef<MappingValues>(undefined);
  /** The preset saved by an attempt whose reading failed: the next attempt replaces it, or only reads. */
  const saved = useRef<{ key: string; body: string }>(undefined);
  return (
    <Form
      schema={routes.createPreset.body}
      initialValues={editedPreset ? startPresetEdit(head, editedPreset, fileValues) : startMapping(head, fileValues)}
      toBody={(current) => {
        values.current = current;
        return toPreset(head, current, editedPreset);
      }}
      submit={async ({ replaces, ...preset }, { idempotencyKey }) => {
        const current = values.current;
        if (!current) throw new Error('nothing was filled in');
        requireMapping(head, current, reading);
        const body = JSON.stringify(preset);
        if (saved.current?.body !== body) {
          const former = saved.current ? ownPresetId(saved.current.key) : replaces;
          const { data } = await api(routes.createPreset, { body: { ...preset, replaces: former }, idempotencyKey });
          saved.current = { key: data.key, body };
        }
        return api(routes.readStatementWith, {
          params: { id },
          body: {
            ...reading,
            preset: saved.current.key,
            month: isMapped(current, 'month') ? undefined : current.month,
            currency: needsCurrency(head, current) ? current.currency : undefined,
          },
        });
      }}
      onSuccess={({ data: { status } }) => {
        // Its page would show the former state beside the success, until it is loaded.
        queryClient.setQueryData(statementQuery(id).queryKey, { ...statement, status, state: 'received' });
        flashSuccess(t.saved, { afterNavigation: true });
        void navigate({ to: paths.storeStatement(id) });
      }}
      submitLabel={t.save}
      hasSaveBar="always"
    >
      {(form) => (
        <Stack gap={28} className={classes.mapping}>
          <Box data-wide>
            <Section title={t.columns}>
              <MappingTable head={head} form={form}>
                <ReadingCount id={id} head={head} values={form.values} reading={reading} />
              </MappingTable>
            </Section>
          </Box>
          {(preambleOf(head, form.values).length > 0 || Object.keys(form.values.preamble).length > 0) && (
            <Section title={t.preamble}>
              <PreambleFields head={head} form={form} />
            </Section>
          )}
          <Section title={t.form}>
            <PresetFields head={head} form={form} />
            <Box mt={16} maw={560}>
              <EmptyAmountFields head={head} form={form} />
            </Box>
          </Section>
          <Section title={t.rules.title}>
            <RuleFields head={head} form={form} />
          </Section>
        </Stack>
      )}
    </Form>
  );
}
