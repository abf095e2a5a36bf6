import { Button, Group, NativeSelect, SimpleGrid, Stack } from '@mantine/core';
import type { PresetRow, StatementDetail } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Charset } from '@regie/contract/statements.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconChevronDown, IconChevronRight, IconColumns3, IconFileUpload, IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { Message } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState } from '#src/ui/states.tsx';
import { CharsetField, CurrencyField, SheetsField, sheetsChoice, usualSheets } from './file-fields.tsx';
import { headQuery, presetsQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';

const t = frStatements.again;
const { decimal } = frStatements.mapping;

export const canReadAgain = ({ status, imports, hasFile }: StatementDetail) =>
  hasFile &&
  imports.length === 0 &&
  (status === 'unrecognised' ||
    status === 'ambiguous' ||
    status === 'refused' ||
    status === 'summary' ||
    status === 'loaded');

/** A preset that misses more columns is most likely for other files. */
const fewMissing = 2;

function ownPresetsOf(
  { preset, head }: StatementDetail,
  presets: readonly PresetRow[],
): { id: number; name: string }[] {
  const near = (head?.tried ?? []).filter(({ missing }) => missing.length <= fewMissing);
  const keys = new Set([preset, ...(head?.fitting ?? []), ...near].flatMap((match) => match?.key ?? []));
  return presets.flatMap(({ id, key, name }) => (id !== null && keys.has(key) ? [{ id, name }] : []));
}

interface ReadAgainProps {
  statement: StatementDetail;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  onRead: () => void;
  isAskedFor: boolean;
}

export function ReadAgainSection({ statement, isOpen, onToggle, onRead, isAskedFor }: ReadAgainProps) {
  const { id, status, imports } = statement;
  const presets = useQuery({ ...presetsQuery, enabled: canReadAgain(statement) });
  if (!canReadAgain(statement)) {
    if (imports.length > 0) {
      return (
        <Section title={t.title}>
          <p>
            {t.posted}{' '}
            {imports.map(({ id }) => (
              <Link key={id} className={shared.textLink} to={paths.import(id)}>
                {frRecords.importNumber(formatInteger(id))}
              </Link>
            ))}
          </p>
        </Section>
      );
    }
    return status === 'checked' ? (
      <Section title={t.title}>
        <p>{t.checked}</p>
      </Section>
    ) : null;
  }
  const filePresets = ownPresetsOf(statement, presets.data ?? []);
  const first = isStuck(statement) && presets.data ? firstWay(statement, filePresets) : undefined;
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Section title={t.title}>
      {(status === 'loaded' || status === 'summary') && <p>{t.text}</p>}
      <Group align="stretch" gap={8} mt={10}>
        {first !== 'map' && <MapButton id={id} />}
        {first !== 'mend' &&
          filePresets.map((preset) => (
            <MapButton
              key={preset.id}
              id={id}
              preset={preset}
              label={filePresets.length === 1 ? t.mend : t.mendNamed(preset.name)}
            />
          ))}
        <Button
          variant="subtle"
          aria-expanded={isOpen}
          className={shared.wrapping}
          leftSection={<Chevron size={16} stroke={1.8} aria-hidden />}
          onClick={() => onToggle(!isOpen)}
        >
          {t.open}
        </Button>
      </Group>
      {isOpen &&
        (presets.data ? (
          <ReadAgainForm
            statement={statement}
            presets={presets.data}
            filePresetIds={filePresets.map((preset) => preset.id)}
            onRead={onRead}
            isAskedFor={isAskedFor}
          />
        ) : (
          presets.isError && <ErrorState query={presets} />
        ))}
    </Section>
  );
}

export const isStuck = ({ status }: StatementDetail) => status === 'unrecognised' || status === 'refused';
/** With a known preset, a file without the refused line; otherwise the only preset of its own, or a new one. */
function firstWay({ status, preset, problem }: StatementDetail, filePresets: readonly unknown[]) {
  const isOfFile = status === 'refused' && preset !== null && problem !== null && problem.line !== null;
  if (isOfFile && (preset.isVerified || filePresets.length === 0)) return 'correct';
  return filePresets.length === 1 ? 'mend' : 'map';
}

export function FirstWay({ statement, onCorrect }: { statement: StatementDetail; onCorrect: () => void }) {
  const canMap = isStuck(statement) && canReadAgain(statement);
  const presets = useQuery({ ...presetsQuery, enabled: canMap });
  if (!canMap || !presets.data) return null;
  const filePresets = ownPresetsOf(statement, presets.data);
  const [preset] = filePresets;
  const first = firstWay(statement, filePresets);
  if (first === 'correct') {
    return (
      <Button leftSection={buttonIcon(IconFileUpload)} onClick={onCorrect}>
        {t.correct}
      </Button>
    );
  }
  return <MapButton id={statement.id} preset={first === 'mend' ? preset : undefined} variant="filled" />;
}

interface MapButtonProps {
  id: number;
  /** The one to modify; by default a new one is made. */
  preset?: Pick<PresetRow, 'id'> | undefined;
  label?: string;
  variant?: 'filled' | 'default';
}

function MapButton({ id, preset, label = preset ? t.mend : t.map, variant = 'default' }: MapButtonProps) {
  return (
    <LinkButton
      to={paths.statementMapping(id)}
      search={preset ? { preset: String(preset.id) } : {}}
      variant={variant}
      className={shared.wrapping}
      leftSection={buttonIcon(preset ? IconPencil : IconColumns3)}
    >
      {label}
    </LinkButton>
  );
}

const canLackMonth = ({ columns, preamble }: PresetRow) => !columns.month && !preamble.month;
const canLackCurrency = ({ columns, preamble, currency, currencySign }: PresetRow) =>
  !columns.currency &&
  !preamble.currency &&
  currency === undefined &&
  (!currencySign || Object.values(currencySign.signs).some((currencies) => currencies.length > 1));

interface ReadAgainFormProps {
  statement: StatementDetail;
  presets: readonly PresetRow[];
  filePresetIds: readonly number[];
  onRead: () => void;
  isAskedFor: boolean;
}

function ReadAgainForm({ statement, presets, filePresetIds, onRead, isAskedFor }: ReadAgainFormProps) {
  const { id, status, choices, problem } = statement;
  const wasKnown =
    (status === 'loaded' || status === 'summary' || status === 'refused') &&
    presets.find(({ key }) => key === statement.preset?.key);
  const [key, setKey] = useState(wasKnown ? wasKnown.key : '');
  const [month, setMonth] = useState(statement.accountingMonth ?? undefined);
  const [currency, setCurrency] = useState(choices.currency ?? '');
  const [charset, setCharset] = useState<Charset | ''>(choices.charset ?? '');
  const [decimalMark, setDecimalMark] = useState<string>(choices.decimalMark ?? '');
  const [sheets, setSheets] = useState<string[] | undefined>(choices.sheets ?? undefined);
  const [isSent, setIsSent] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const head = useQuery(headQuery(id));
  useEffect(() => {
    if (isAskedFor) form.current?.focus();
  }, [isAskedFor]);

  const preset = presets.find((one) => one.key === key);
  const fitting = statement.head?.fitting.find((one) => one.key === key);
  const asksMonth = preset !== undefined && canLackMonth(preset);
  const asksCurrency = preset !== undefined && canLackCurrency(preset);
  const allSheets = head.data?.sheets ?? [];
  const usual = head.data ? usualSheets(head.data) : [];
  const chosenSheets = sheets ?? usual;
  const { act, isBusy, failure, errors } = useAct();
  const readAgain = () =>
    act(async () => {
      const answer = await api(routes.readStatementWith, {
        params: { id },
        body: {
          preset: key === '' ? null : key,
          month: asksMonth ? month : undefined,
          currency: (asksCurrency && currency) || undefined,
          sheets:
            allSheets.length <= 1 ? undefined : problem?.asksSheets ? chosenSheets : sheetsChoice(usual, chosenSheets),
          charset: charset || null,
          decimalMark: decimalMark === '.' || decimalMark === ',' ? decimalMark : null,
        },
      });
      onRead();
      return answer;
    });
  const isAtField = ['preset', 'month', 'currency', 'sheets', 'charset'].some((field) => errors[field] !== undefined);
  const areSheetsMissing = isSent && allSheets.length > 0 && chosenSheets.length === 0;
  return (
    <form
      ref={form}
      noValidate
      tabIndex={-1}
      onSubmit={(event) => {
        event.preventDefault();
        setIsSent(true);
        if (allSheets.length === 0 || chosenSheets.length > 0) readAgain();
      }}
    >
      <Stack gap={16} mt={16}>
        <Message text={!isAtField && failure} />
        <SimpleGrid minColWidth="min(220px, 100%)" autoFlow="auto-fit" spacing={16}>
          <NativeSelect
            label={t.preset}
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={errors.preset}
          >
            {/* Options of its `data` are components with hooks each: presets are many. */}
            <option value="">{t.detection}</option>
            {presets.map((one) => (
              <option key={one.key} value={one.key}>
                {one.name}
              </option>
            ))}
          </NativeSelect>
          {asksMonth && (
            <MonthField
              label={t.month}
              description={t.ifSilent}
              value={month}
              onChange={setMonth}
              error={errors.month}
            />
          )}
          {asksCurrency && (
            <CurrencyField
              value={currency}
              onChange={setCurrency}
              offered={fitting?.currencies ?? preset.currencies}
              last={fitting?.lastCurrency ?? null}
              description={t.ifSilent}
              error={errors.currency}
            />
          )}
          <NativeSelect
            label={t.decimalMark}
            description={t.decimalMarkHint}
            value={decimalMark}
            onChange={(event) => setDecimalMark(event.currentTarget.value)}
            data={[
              { value: '', label: decimal.either },
              { value: '.', label: decimal['.'] },
              { value: ',', label: decimal[','] },
            ]}
          />
          {head.data?.charset && (
            <CharsetField
              detected={choices.charset === null ? head.data.charset : undefined}
              value={charset}
              onChange={setCharset}
            />
          )}
        </SimpleGrid>
        {allSheets.length > 1 && (
          <SheetsField
            sheets={allSheets}
            value={chosenSheets}
            onChange={setSheets}
            error={areSheetsMissing ? t.sheetsRequired : errors.sheets}
          />
        )}
        <Group justify="flex-end" gap={8} mt={16}>
          {preset && preset.id !== null && !filePresetIds.includes(preset.id) && <MapButton id={id} preset={preset} />}
          <Button type="submit" variant={isAskedFor ? 'filled' : 'default'} loading={isBusy}>
            {t.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
