import { Button, Menu } from '@mantine/core';
import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { formatBytes, formatInteger, formatMoney, formatMonth, formatRate } from '@regie/values/formats.ts';
import { IconArrowBackUp, IconCheck, IconDownload, IconFileUpload, IconTrash } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { journalFact } from '#src/domain/journal-fact.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { toRate } from '#src/domain/to-rate.ts';
import { nameLine } from '#src/domain/tracks/line-names.ts';
import { useAct } from '#src/lib/act.ts';
import { api, errorSentence, isNotFound } from '#src/lib/api.ts';
import { downloadFile } from '#src/lib/file-download.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { monthToParam } from '#src/lib/months.ts';
import { type Can, useCan } from '#src/lib/session.ts';
import { dismissAttention } from '#src/lib/work-tray.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Exact } from '#src/ui/exact.tsx';
import { HiddenFileInput } from '#src/ui/hidden-file-input.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { alignMoney, Money } from '#src/ui/money.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Below, type Fact, Facts, RecordPage, Section, TechnicalFacts } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';
import { formatExact, isZeroAmount, unmatchedText } from './exact-amount.ts';
import { LineDownloads } from './line-downloads.tsx';
import { PresetChoice } from './preset-choice.tsx';
import { canReadAgain, FirstWay, isStuck, ReadAgainSection } from './read-again.tsx';
import { LeftOutSection, MembersSection } from './statement-archive.tsx';
import { CheckModal, Checks, StatementFacts } from './statement-checks.tsx';
import { DifferencesSection } from './statement-differences.tsx';
import { acceptedStatements } from './statement-drop.tsx';
import { statementHead, statementTabs } from './statement-frame.tsx';
import {
  AmountsByCurrency,
  isBeingRead,
  presetLabel,
  ReadingProgress,
  StatementLink,
  ToUnmatched,
} from './statement-labels.tsx';
import { firstLinesQuery, LinesSection } from './statement-lines.tsx';
import { RemoveStatement, ReplaceStatement } from './statement-removal.tsx';
import { SummarySection } from './statement-summary.tsx';
import { refuseStatement, startStatementUpload } from './statement-upload.ts';
import { differencesQuery, headQuery, presetsQuery, statementQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.page;
/** In the URL: the requested line number, of whichever sheet. */
const findLine = (text: string | undefined) => (/^[1-9]\d{0,12}$/.test(text ?? '') ? Number(text) : undefined);

type Dialog = 'check' | 'replace' | 'remove';

export async function prefetch(client: QueryClient, id: number, can: Can): Promise<void> {
  await client.prefetchQuery(statementQuery(id));
  const statement = client.getQueryData(statementQuery(id).queryKey);
  if (!statement) return;
  if (hasLines(statement)) void client.prefetchQuery(firstLinesQuery(id, statement.problem?.line ?? null));
  if (isLive(statement)) void client.prefetchQuery(differencesQuery(id));
  if (!can('edit_reports') || !canReadAgain(statement)) return;
  void client.prefetchQuery(presetsQuery);
  if (isStuck(statement)) void client.prefetchQuery(headQuery(id));
}

const hasLines = ({ hasFile, status }: StatementDetail) => hasFile && !isBeingRead(status) && status !== 'unpacked';
const isLive = ({ status }: Pick<StatementDetail, 'status'>) => status === 'loaded' || status === 'checked';

export default function StatementPage() {
  const id = useIdParam();
  const can = useCan();
  const statement = useQuery({ ...statementQuery(id ?? 0), enabled: id !== undefined });
  const isAgain = statement.data !== undefined && can('edit_reports') && canReadAgain(statement.data);
  const presets = useQuery({ ...presetsQuery, enabled: isAgain });
  const hasForm = isAgain && isStuck(statement.data);
  const head = useQuery({ ...headQuery(id ?? 0), enabled: hasForm });
  if (id === undefined || isNotFound(statement.error)) return <NotFound />;
  return (
    <Loaded query={statement} after={{ isPending: (isAgain && presets.isLoading) || (hasForm && head.isLoading) }}>
      {(data) => <StatementView key={id} statement={data} />}
    </Loaded>
  );
}

function StatementView({ statement }: { statement: StatementDetail }) {
  const can = useCan();
  const queryClient = useQueryClient();
  const { act, isBusy, failure, setFailure } = useAct();
  const [dialog, setDialog] = useState<Dialog>();
  const correction = useRef<HTMLInputElement>(null);
  const areFactsUnsaved = useRef(false);
  const [again, setAgain] = useState<'open' | 'closed' | 'asked'>();
  const { id, status } = statement;
  const line = findLine(useListState().search.line);
  const canEdit = can('edit_reports');
  const isPhone = useIsPhone();
  const isLoaded = isLive(statement);
  useEffect(() => {
    if (isLoaded) for (const page of [paths.storeStatement(id), paths.statementMapping(id)]) dismissAttention(page);
  }, [id, isLoaded]);
  const hasNoRows = isLoaded && statement.countedRows === 0;
  const hasIncome = isLoaded && !hasNoRows;
  const lastMonth = statement.months.at(-1);
  /** It must be reversed before the validation can be withdrawn. */
  const lastImport = statement.imports.at(-1);
  const lacking = statement.months.find(({ rate, isTooEarly }) => rate === null && !isTooEarly);
  const isEnded = status === 'replaced' || status === 'removed';
  const canReplace = statement.contains !== null || (isLoaded && replacesLive(statement));
  const uncheck = () => act(() => api(routes.uncheckStatement, { params: { id } }));
  const lines = hasLines(statement) && (
    <LinesSection
      key={line}
      id={id}
      line={line ?? statement.problem?.line ?? null}
      isWorkbook={statement.sheets.length > 0 || /\.xlsx$/i.test(statement.fileName)}
    />
  );
  const download = () =>
    void downloadFile(routes.downloadStatement.path.replace(':id', String(id))).catch((error: unknown) =>
      setFailure(errorSentence(error)),
    );
  const correct = (file: File | undefined) => {
    if (!file) return;
    const refusal = refuseStatement(file);
    setFailure(refusal);
    if (refusal !== undefined) return;
    const dismiss = flashSuccess(frStatements.upload.started(1));
    startStatementUpload(file, { replaces: id, onStored: () => void queryClient.invalidateQueries(), onEnd: dismiss });
  };
  return (
    <>
      <RecordPage
        header={
          <PageHeader
            {...statementHead(statement)}
            text={
              <>
                {hasIncome && statement.amountEur !== null && (
                  <div className={shared.figure}>
                    <Money amount={statement.amountEur} currency="EUR" />
                  </div>
                )}
                {hasIncome && statement.amounts.length > 0 && (
                  <div className={shared.figure}>
                    <AmountsByCurrency amounts={statement.amounts} />
                  </div>
                )}
                {statement.source !== null && statement.fileName}
              </>
            }
            actions={
              <>
                {canEdit && canReplace && <Button onClick={() => setDialog('replace')}>{t.replace}</Button>}
                {canEdit && status === 'loaded' && lacking && can('manage_settings') && (
                  <LinkButton {...toRate(lacking)} variant={canReplace ? 'default' : 'filled'}>
                    {frRecords.addRate}
                  </LinkButton>
                )}
                {canEdit && status === 'loaded' && !lacking && !replacesLive(statement) && (
                  <Button
                    variant={canReplace ? 'default' : 'filled'}
                    leftSection={buttonIcon(IconCheck)}
                    disabled={hasNoRows}
                    title={hasNoRows ? t.noRows : undefined}
                    onClick={() => (areFactsUnsaved.current ? setFailure(t.saveFirst) : setDialog('check'))}
                  >
                    {frStatements.checks.check}
                  </Button>
                )}
                {canEdit && status === 'checked' && (
                  <>
                    {lastImport === undefined ? (
                      !isPhone && (
                        <Button variant="default" loading={isBusy} onClick={uncheck}>
                          {frStatements.checks.uncheck}
                        </Button>
                      )
                    ) : (
                      <Button
                        variant="default"
                        component={Link}
                        to={paths.import(lastImport.id)}
                        title={statementMessages.isPosted}
                      >
                        {frRecords.seeImport}
                      </Button>
                    )}
                    {statement.state === 'unmatched' && (
                      <LinkButton to={paths.unmatched} search={{ source: statement.source ?? undefined }}>
                        {t.assign}
                      </LinkButton>
                    )}
                    {lastMonth && statement.state !== 'posted' && statement.state !== 'unmatched' && (
                      <LinkButton to={paths.month(monthToParam(lastMonth.month) ?? '')}>
                        {t.toMonth(formatMonth(lastMonth.month))}
                      </LinkButton>
                    )}
                  </>
                )}
                {canEdit && <FirstWay statement={statement} onCorrect={() => correction.current?.click()} />}
                {(statement.hasFile || (canEdit && !isEnded)) && (
                  <MoreMenu label={t.moreActions}>
                    {isPhone && canEdit && status === 'checked' && lastImport === undefined && (
                      <Menu.Item leftSection={buttonIcon(IconArrowBackUp)} disabled={isBusy} onClick={uncheck}>
                        {frStatements.checks.uncheck}
                      </Menu.Item>
                    )}
                    {statement.hasFile && (
                      <Menu.Item leftSection={buttonIcon(IconDownload)} onClick={download}>
                        {t.download}
                      </Menu.Item>
                    )}
                    {hasIncome && <LineDownloads of={['statement', id]} onFailure={setFailure} />}
                    {canEdit && isLoaded && statement.correctedBy === null && (
                      <Menu.Item leftSection={buttonIcon(IconFileUpload)} onClick={() => correction.current?.click()}>
                        {t.correct}
                      </Menu.Item>
                    )}
                    {canEdit && !isEnded && (
                      <Menu.Item leftSection={buttonIcon(IconTrash)} onClick={() => setDialog('remove')}>
                        {isBeingRead(status) ? t.stop : t.remove}
                      </Menu.Item>
                    )}
                  </MoreMenu>
                )}
                <HiddenFileInput
                  ref={correction}
                  accept={acceptedStatements}
                  aria-label={t.correctLabel}
                  onFiles={(files) => correct(files?.[0])}
                />
              </>
            }
          />
        }
        tabs={canEdit ? statementTabs(statement) : []}
        side={<Side statement={statement} />}
      >
        <Message text={failure} onDismiss={setFailure} />
        <State statement={statement} />
        {line !== undefined && lines}
        {canEdit && status === 'ambiguous' && statement.head && <PresetChoice id={id} head={statement.head} />}
        {status === 'unpacked' && <MembersSection members={statement.members} />}
        {status === 'summary' && <SummarySection declarations={statement.declarations} ownId={id} />}
        {hasIncome && (
          <>
            <Section title={frStatements.checks.title}>
              <Checks statement={statement} />
            </Section>
            {canEdit && status === 'loaded' && (
              <Section title={frStatements.checks.facts}>
                <StatementFacts
                  statement={statement}
                  onDirtyChange={(isDirty) => {
                    areFactsUnsaved.current = isDirty;
                    if (!isDirty) setFailure((shown) => (shown === t.saveFirst ? undefined : shown));
                  }}
                />
              </Section>
            )}
            <MonthsSection statement={statement} />
          </>
        )}
        {isLoaded && statement.rows > 0 && <SkippedSection statement={statement} />}
        <LeftOutSection statement={statement} onChooseSheets={() => setAgain('asked')} onFailure={setFailure} />
        <Below isAtOnce={!hasIncome}>
          {hasIncome && <DifferencesSection statement={statement} />}
          {canEdit && (
            <ReadAgainSection
              statement={statement}
              isOpen={again === undefined ? isStuck(statement) : again !== 'closed'}
              isAskedFor={again === 'asked'}
              onRead={() => setAgain(undefined)}
              onToggle={(isOpen) => setAgain(isOpen ? 'open' : 'closed')}
            />
          )}
          {line === undefined && lines}
        </Below>
      </RecordPage>
      <CheckModal
        statement={statement}
        isOpen={dialog === 'check'}
        onClose={() => setDialog(undefined)}
        onChecked={flashSuccess}
      />
      <ReplaceStatement statement={statement} isOpen={dialog === 'replace'} onClose={() => setDialog(undefined)} />
      <RemoveStatement statement={statement} isOpen={dialog === 'remove'} onClose={() => setDialog(undefined)} />
    </>
  );
}

/** It corrects a live statement: the replacement precedes the check. */
const replacesLive = ({ replaces }: StatementDetail) => replaces !== null && isLive(replaces);

const growthOf = ({ lines, amountEur }: NonNullable<StatementDetail['contains']>) =>
  [
    ...(lines > 0 ? [fr.list.rows(lines)] : []),
    ...(amountEur !== null && amountEur > 0 ? [formatMoney(amountEur, 'EUR')] : []),
  ].join(', ');

function missingValuesText({ head }: StatementDetail): string {
  const [fitting, ...others] = head?.fitting ?? [];
  if (!fitting || others.length > 0) return t.ambiguous;
  const { needsMonth, needsCurrency, unclear } = fitting;
  const month = unclear.month === undefined ? t.needsMonth : t.unclearMonth(unclear.month);
  const currency = unclear.currency === undefined ? t.needsCurrency : t.unclearCurrency(unclear.currency);
  const isBoth = needsMonth && needsCurrency && unclear.month === undefined && unclear.currency === undefined;
  const asked = [
    isBoth ? t.needsBoth : [needsMonth ? month : [], needsCurrency ? currency : []],
    head?.charsets.length ? t.needsCharset : [],
  ].flat(2);
  return asked.length > 0 ? asked.join(' ') : t.positional;
}

function State({ statement }: { statement: StatementDetail }) {
  const { status, problem, replaces, correctedBy } = statement;
  return (
    <>
      {isBeingRead(status) && (
        <Notice tone={problem ? 'error' : 'note'}>
          {problem?.message ??
            (status === 'reading' ? t.reading : statement.head ? frStatements.readingAgain : t.received)}
          <ReadingProgress statement={statement} />
        </Notice>
      )}
      {status === 'refused' && problem && (
        <Notice tone="error">
          {problem.line !== null && t.refusedAt(nameLine(problem.line))}
          {problem.message}
        </Notice>
      )}
      {status === 'unrecognised' && <Notice tone="info">{t.unrecognised}</Notice>}
      {status === 'ambiguous' && <Notice tone="info">{missingValuesText(statement)}</Notice>}
      {status === 'unpacked' && <Notice tone="info">{t.unpacked}</Notice>}
      {isLive(statement) && statement.countedRows === 0 && <Notice tone="error">{t.noRows}</Notice>}
      {status === 'replaced' && <Notice tone="note">{t.ended_replaced}</Notice>}
      {status === 'removed' && <Notice tone="note">{t.ended_removed}</Notice>}
      {isLive(statement) && replaces && isLive(replaces) && (
        <Notice tone="note">{t.correctionLoaded(replaces.fileName)}</Notice>
      )}
      {statement.contains && (
        <Notice tone="note">{t.contains(statement.contains.fileName, growthOf(statement.contains))}</Notice>
      )}
      {correctedBy && (
        <Notice tone="note">
          {t.correctedBy}{' '}
          <StatementLink className={shared.textLink} id={correctedBy.id} fileName={correctedBy.fileName} />
        </Notice>
      )}
    </>
  );
}

const linkTo = (statement: { id: number; fileName: string } | null) =>
  statement ? <StatementLink id={statement.id} fileName={statement.fileName} /> : undefined;

const step = (at: number | null, by: string | null) =>
  at === null ? undefined : (
    <>
      <DateText ms={at} hasTime />
      {by !== null && <span className={shared.under}>{t.by(by)}</span>}
    </>
  );

function Side({ statement }: { statement: StatementDetail }) {
  const can = useCan();
  const { preset, replaces, unpackedFrom, sheets, choices } = statement;
  const facts: (Fact | false)[] = [
    { label: frStatements.column.source, value: statement.source ?? undefined },
    {
      label: frStatements.column.preset,
      value:
        preset && !isBeingRead(statement.status) ? (
          <>
            <div>{preset.name}</div>
            <span className={shared.under}>{presetLabel(preset)}</span>
          </>
        ) : undefined,
    },
    { label: t.sheets, value: sheets.length === 0 ? undefined : new Intl.ListFormat('fr').format(sheets) },
    { label: t.toldCurrency, value: choices.currency ?? undefined },
    { label: t.charset, value: choices.charset === null ? undefined : frStatements.charset[choices.charset] },
    { label: t.decimalMark, value: choices.decimalMark ?? undefined },
    { label: t.rows, value: statement.loadedAt === null ? undefined : formatInteger(statement.rows) },
    { label: t.counted, value: statement.loadedAt === null ? undefined : formatInteger(statement.countedRows) },
    { label: t.sent, value: step(statement.createdAt, statement.createdBy) },
    { label: t.loaded, value: step(statement.loadedAt, null) },
    { label: t.checked, value: step(statement.checkedAt, statement.checkedBy) },
    { label: t.note, value: statement.checkNote ?? undefined },
    { label: t.ended, value: step(statement.endedAt, statement.endedBy) },
    { label: t.replaces, value: linkTo(replaces) },
    { label: t.archive, value: linkTo(unpackedFrom) },
    can('read_audit') && journalFact('statement', statement.id, t.journalLink),
  ];
  return (
    <div>
      <Facts title={t.facts} facts={facts} />
      <TechnicalFacts
        facts={[
          { label: t.size, value: formatBytes(statement.sizeBytes) },
          { label: t.sha, value: <Identifier value={statement.sha256} name={t.sha} /> },
        ]}
      />
    </div>
  );
}

const eur = (amount: number | null) => (amount === null ? '—' : <Money amount={amount} currency="EUR" />);

const exactText = ({ amount, currency }: { amount: string; currency: string }) =>
  /\.\d\d\d*[1-9]/.test(amount) ? formatExact(amount, currency) : undefined;

function MonthsSection({ statement }: { statement: StatementDetail }) {
  const can = useCan();
  const m = frStatements.months;
  const aligned = alignMoney(statement.months);
  return (
    <Section title={m.title}>
      <PlainTable
        name={m.title}
        className={classes.months}
        head={[
          frStatements.column.month,
          { right: frStatements.field.amount },
          { right: m.rate },
          { right: m.eur },
          { right: m.unmatched },
          { right: frStatements.state.posted },
        ]}
      >
        <tbody>
          {statement.months.map((month) => (
            <tr key={`${month.month}${month.currency}`} data-euro={month.currency === 'EUR' || undefined}>
              <td>
                {formatMonth(month.month)}
                {month.isTooEarly && <span className={shared.under}>{m.tooEarly}</span>}
              </td>
              <td data-align="right" data-label={frStatements.field.amount}>
                <Exact text={exactText(month)}>
                  <Money amount={Number(month.amount)} currency={month.currency} {...aligned} />
                </Exact>
              </td>
              <td data-align="right" data-label={m.rate}>
                {month.rate === null ? (
                  <>
                    {m.noRate}
                    {can('manage_settings') && (
                      <span className={shared.under}>
                        <Link className={shared.link} {...toRate(month)}>
                          {frRecords.addRate}
                        </Link>
                      </span>
                    )}
                  </>
                ) : month.currency === 'EUR' ? (
                  '—'
                ) : (
                  <>
                    {formatRate(month.rate)}
                    {month.rateMonth !== null && month.rateMonth !== month.month && (
                      <span className={shared.under}>{m.rateOf(formatMonth(month.rateMonth))}</span>
                    )}
                  </>
                )}
              </td>
              <td data-align="right" data-label={m.eur}>
                {eur(month.amountEur)}
              </td>
              <td data-align="right" data-label={m.unmatched}>
                {isZeroAmount(month.unmatchedAmount) ? (
                  eur(month.unmatchedEur)
                ) : (
                  <ToUnmatched statement={statement} month={month.month}>
                    {unmatchedText([month])}
                  </ToUnmatched>
                )}
              </td>
              <td data-align="right" data-label={frStatements.state.posted}>
                {eur(month.postedEur)}
                {statement.imports
                  .filter((posting) => posting.month === month.month)
                  .map(({ id }) => (
                    <span key={id} className={shared.under}>
                      <Link className={shared.link} to={paths.import(id)}>
                        {frRecords.importNumber(formatInteger(id))}
                      </Link>
                    </span>
                  ))}
              </td>
            </tr>
          ))}
        </tbody>
        {statement.months.length > 1 && (
          <tfoot>
            <tr>
              <td colSpan={3}>{m.total}</td>
              <td data-align="right" data-label={m.eur}>
                {eur(statement.amountEur)}
              </td>
              <td data-align="right" data-label={m.unmatched}>
                {eur(statement.unmatchedEur)}
              </td>
              <td data-align="right" data-label={frStatements.state.posted}>
                {eur(statement.postedEur)}
              </td>
            </tr>
          </tfoot>
        )}
      </PlainTable>
    </Section>
  );
}

function SkippedSection({ statement }: { statement: StatementDetail }) {
  const s = frStatements.skipped;
  return (
    <Section title={s.title}>
      {statement.skipped.length === 0 ? (
        <p className={shared.under}>{statement.leftOut.length > 0 ? s.noneOfSheets : s.none}</p>
      ) : (
        <PlainTable name={s.title} head={[frStatements.column.reason, { right: s.rows }]}>
          <tbody>
            {statement.skipped.map(({ reason, rows }) => (
              <tr key={reason}>
                <td>{reason}</td>
                <td data-align="right">{formatInteger(rows)}</td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </Section>
  );
}
