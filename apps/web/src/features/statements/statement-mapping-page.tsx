import { NativeSelect, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { monthToMs } from '@regie/contract/month.ts';
import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  type IncomeKind,
  type MonthForm,
  monthForms,
  positionName,
  type StatementField,
  statementFields,
  statementMessages,
} from '@regie/contract/statements.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { frStatements } from '#src/fr-statements.ts';
import { ApiError, api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatInteger, formatMonth, formatNumber } from '#src/lib/formats.ts';
import { paths } from '#src/paths.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Form } from '#src/ui/form.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { ErrorState, NotFound, PageSkeleton } from '#src/ui/states.tsx';
import {
  commonWidth,
  currencyOf,
  foldName,
  guessHeader,
  guessMeanings,
  guessMonthForm,
  previewAmount,
  previewMonth,
} from './mapping-guess.ts';
import { useStatementId } from './statement-id.ts';
import { statementQuery } from './statements.api.ts';
import classes from './statements.module.css';

const t = frStatements.mapping;
type Head = NonNullable<StatementDetail['head']>;
type Mark = '.' | ',' | 'either';
type Meaning = StatementField | '';

interface Values extends Record<string, unknown> {
  /** Index of the header among the first rows, or `noHeader`. */
  header: number;
  meanings: Meaning[];
  source: string;
  name: string;
  currency: string;
  store: string;
  monthForm: MonthForm | '';
  decimalMark: Mark;
  kind: IncomeKind | '';
  /** Of a file without a header, what rows of other types have in a column. */
  skips: { column: string; words: string }[];
}

export default function StatementMappingPage() {
  const id = useStatementId();
  const statement = useQuery({ ...statementQuery(id ?? 0), enabled: id !== undefined });
  if (id === undefined || (statement.error instanceof ApiError && statement.error.status === 404)) return <NotFound />;
  if (!statement.data) {
    return statement.isError ? (
      <ErrorState error={statement.error} onRetry={() => void statement.refetch()} />
    ) : (
      <PageSkeleton />
    );
  }
  const { head, status, fileName } = statement.data;
  return (
    <>
      <PageHeader title={t.title} text={fileName} parent={paths.storeStatement(id)} />
      {/* Of several presets none may fit either: a currency that none of them has. */}
      {head && (status === 'unrecognised' || status === 'ambiguous') ? (
        <Mapping key={id} id={id} head={head} />
      ) : (
        <Notice tone="info">
          {t.notWaiting}{' '}
          <Link className={classes.textLink} to={paths.storeStatement(id)}>
            {t.back}
          </Link>
        </Notice>
      )}
    </>
  );
}

/** In the place of a header's index: the file has none, and its columns are named by their position. */
const noHeader = -1;
const cellsOf = (head: Head, index: number) =>
  index === noHeader
    ? Array.from({ length: commonWidth(head.rows) }, (_, column) => positionName(column + 1))
    : (head.rows[index]?.cells ?? []);
const maxSkips = 2;
/** What rows of other types have in a column; only where there is no header. */
const skipsOf = ({ header, skips }: Values) =>
  skips
    .map(({ column, words }) => ({
      at: Number(column),
      words: words
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    }))
    .filter(({ words }) => header === noHeader && words.length > 0);
/** The rows that would be read. */
function rowsOf(head: Head, values: Values) {
  if (values.header !== noHeader) return head.rows.slice(values.header + 1);
  const width = commonWidth(head.rows);
  const skips = skipsOf(values).map(({ at, words }) => ({ at, words: words.map(foldName) }));
  return head.rows.filter(
    ({ cells }) => cells.length === width && !skips.some(({ at, words }) => words.includes(foldName(cells[at] ?? ''))),
  );
}
const samplesOf = (head: Head, values: Values, column: number) =>
  rowsOf(head, values).flatMap((row) => row.cells[column] ?? []);
const columnOf = (values: Values, field: StatementField) => values.meanings.indexOf(field);

/** The date form that the chosen column seems to have. */
function formOf(head: Head, values: Values): MonthForm | '' {
  const column = columnOf(values, 'month');
  return (column >= 0 && guessMonthForm(samplesOf(head, values, column))) || '';
}

function startFrom(head: Head, header: number): Values {
  const values: Values = {
    header,
    meanings: guessMeanings(cellsOf(head, header)),
    source: '',
    name: '',
    currency: '',
    store: '',
    monthForm: '',
    decimalMark: 'either',
    kind: '',
    skips: Array.from({ length: maxSkips }, (_, index) => ({ column: String(index), words: '' })),
  };
  const amount = cellsOf(head, header)[columnOf(values, 'amount')] ?? '';
  return { ...values, currency: currencyOf(amount) ?? '', monthForm: formOf(head, values) };
}

/** Words of a column of types, as the house's own forms have them. */
const kindWords = {
  stream: ['stream', 'subscription', 'abonnement', 'ad supported', 'play', 'écoute'],
  download: ['download', 'téléchargement', 'album', 'single', 'track', 'purchase', 'sale', 'vente'],
  video: ['video', 'vidéo', 'clip'],
};
const maxSignature = 100;

function toPreset(head: Head, values: Values) {
  const names = cellsOf(head, values.header).map((name) => name.trim());
  const folded = names.map(foldName);
  const isUsable = (index: number) =>
    folded[index] !== '' && folded.indexOf(folded[index] ?? '') === folded.lastIndexOf(folded[index] ?? '');
  const mapped = values.meanings.flatMap((field, index) =>
    field === '' ? [] : [[field, [names[index] ?? '']] as const],
  );
  const has = (field: StatementField) => columnOf(values, field) >= 0;
  const optional = (name: string, text: string) => (text.trim() === '' ? {} : { [name]: text.trim() });
  return {
    source: values.source,
    name: values.name,
    columns: Object.fromEntries(mapped),
    optional: [],
    // Another file with these columns and others is not taken for this one.
    ...(values.header === noHeader
      ? { width: names.length, signature: [] }
      : {
          signature: names
            .filter((_, index) => values.meanings[index] === '' && isUsable(index))
            .slice(0, maxSignature),
        }),
    absent: [],
    ...(has('currency') ? {} : optional('currency', values.currency)),
    ...(has('store') ? {} : optional('store', values.store)),
    ...(has('kind') || values.kind === '' ? {} : { kind: values.kind }),
    monthForms: values.monthForm === '' ? (has('month') ? [] : ['YYYY-MM']) : [values.monthForm],
    decimalMark: values.decimalMark,
    kinds: has('kind') ? kindWords : {},
    skip: skipsOf(values).map(({ at, words }) => ({ column: names[at] ?? '', words, reason: t.skipReason })),
    footers: [],
  };
}

function Mapping({ id, head }: { id: number; head: Head }) {
  const navigate = useNavigate();
  /** Of a file that names none: it is this file's, not the preset's. */
  const [month, setMonth] = useState<number>();
  return (
    <div className={classes.mapping}>
      <p className={classes.intro}>{t.intro}</p>
      <Tried head={head} />
      <Form
        schema={routes.createPreset.body}
        initialValues={startFrom(head, guessHeader(head.rows))}
        toBody={(values) => toPreset(head, values)}
        submit={async (body, { idempotencyKey }) => {
          if (body.columns.month === undefined && month === undefined) {
            const sentence = statementMessages.monthRequired;
            throw new ApiError(422, 'validation_failed', sentence, { month: sentence });
          }
          const made = await api(routes.createPreset, { body, idempotencyKey });
          const told = body.columns.month === undefined && month !== undefined ? { month } : {};
          await api(routes.readStatementWith, { params: { id }, body: { preset: made.data.key, ...told } });
          return made;
        }}
        onSuccess={() => {
          flashSuccess(t.saved, { afterNavigation: true });
          void navigate({ to: paths.storeStatement(id) });
        }}
        submitLabel={t.save}
        asksBeforeLeaving
      >
        {(form) => (
          <div className={classes.mapping}>
            <Section title={t.columns}>
              <ColumnFields head={head} form={form} />
            </Section>
            <Section title={t.form}>
              <PresetFields head={head} form={form} month={month} onMonth={setMonth} />
            </Section>
            <Section title={t.preview}>
              <Preview head={head} values={form.values} />
            </Section>
          </div>
        )}
      </Form>
    </div>
  );
}

/** Which presets came near, and what keeps them from reading the file. */
function Tried({ head }: { head: Head }) {
  return (
    <Section title={t.tried}>
      {head.tried.length === 0 ? (
        <p className={classes.hint}>{t.triedNone}</p>
      ) : (
        <ul className={classes.refused}>
          {head.tried.map(({ key, name, missing }) => (
            <li key={key}>
              {name} : {t.missing(missing.map((column) => `«\u00a0${column}\u00a0»`).join(', '))}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface FieldsProps {
  head: Head;
  form: UseFormReturnType<Values>;
}

const maxExample = 60;

function ColumnFields({ head, form }: FieldsProps) {
  const { values } = form;
  const choose = (index: number, meaning: Meaning) => {
    // A meaning moves to the column that is given it last.
    const meanings = values.meanings.map((present, at) =>
      at === index ? meaning : meaning !== '' && present === meaning ? '' : present,
    );
    const next = { ...values, meanings };
    form.setValues({ meanings, monthForm: meaning === 'month' ? formOf(head, next) : values.monthForm });
  };
  const errors = Object.entries(form.errors).flatMap(([path, text]) => (path.startsWith('columns') ? [text] : []));
  return (
    <Stack gap="md">
      <NativeSelect
        label={t.header}
        value={String(values.header)}
        onChange={(event) => form.setValues(startFrom(head, Number(event.currentTarget.value)))}
        data={[
          ...head.rows.map((row, index) => ({
            value: String(index),
            label: t.headerLine(formatInteger(row.line), row.cells.join(' · ').slice(0, maxExample)),
          })),
          { value: String(noHeader), label: t.noHeader },
        ]}
      />
      {errors.length > 0 && <Notice tone="error">{errors[0]}</Notice>}
      <PlainTable name={t.columns} head={[t.column, t.example, t.meaning]} isStackable>
        <tbody>
          {cellsOf(head, values.header).map((name, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns of a file, which never move
            <tr key={index}>
              <td>{name.trim() || t.unnamed}</td>
              <td>
                <span className={classes.examples}>
                  {samplesOf(head, values, index).slice(0, 3).join(' · ').slice(0, maxExample)}
                </span>
              </td>
              <td>
                <NativeSelect
                  aria-label={t.meaningOf(name.trim() || t.unnamed)}
                  disabled={name.trim() === ''}
                  value={values.meanings[index] ?? ''}
                  onChange={(event) => choose(index, event.currentTarget.value as Meaning)}
                  data={[
                    { value: '', label: t.ignored },
                    ...statementFields.map((value) => ({ value, label: frStatements.field[value] })),
                  ]}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Stack>
  );
}

interface PresetFieldsProps {
  head: Head;
  form: FieldsProps['form'];
  month: number | undefined;
  onMonth: (month: number | undefined) => void;
}

function PresetFields({ head, form, month, onMonth }: PresetFieldsProps) {
  const { values } = form;
  const has = (field: StatementField) => columnOf(values, field) >= 0;
  return (
    <div className={classes.facts}>
      <TextInput label={t.source} description={t.sourceHint} required {...form.getInputProps('source')} />
      <TextInput label={t.name} required {...form.getInputProps('name')} />
      {!has('currency') && (
        <TextInput
          label={t.currency}
          description={t.currencyHint}
          required
          maxLength={3}
          autoComplete="off"
          value={values.currency}
          onChange={(event) => form.setFieldValue('currency', event.currentTarget.value.toUpperCase())}
          error={form.errors.currency}
        />
      )}
      {!has('store') && <TextInput label={t.store} description={t.storeHint} {...form.getInputProps('store')} />}
      {has('month') ? (
        <NativeSelect
          label={t.monthForm}
          required
          value={values.monthForm}
          onChange={(event) => form.setFieldValue('monthForm', event.currentTarget.value as Values['monthForm'])}
          error={form.errors.monthForms}
          data={[
            { value: '', label: '' },
            ...monthForms.map((value) => ({ value, label: frStatements.monthForm[value] })),
          ]}
        />
      ) : (
        <MonthField
          label={t.month}
          description={t.monthHint}
          required
          value={month}
          onChange={onMonth}
          error={form.errors.month}
        />
      )}
      <NativeSelect
        label={t.decimalMark}
        value={values.decimalMark}
        onChange={(event) => form.setFieldValue('decimalMark', event.currentTarget.value as Mark)}
        data={(['either', '.', ','] as const).map((value) => ({ value, label: t.decimal[value] }))}
      />
      {!has('kind') && (
        <NativeSelect
          label={t.kind}
          value={values.kind}
          onChange={(event) => form.setFieldValue('kind', event.currentTarget.value as Values['kind'])}
          data={[
            { value: '', label: t.kindByStore },
            ...(['stream', 'download', 'video'] as const).map((value) => ({ value, label: frStatements.kind[value] })),
          ]}
        />
      )}
      {values.header === noHeader &&
        values.skips.map(({ column, words }, index) => {
          const set = (change: Partial<Values['skips'][number]>) =>
            form.setFieldValue(
              'skips',
              values.skips.map((skip, at) => (at === index ? { ...skip, ...change } : skip)),
            );
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two fields that never move
            <Fragment key={index}>
              <NativeSelect
                label={t.skipColumn(index + 1)}
                value={column}
                onChange={(event) => set({ column: event.currentTarget.value })}
                data={cellsOf(head, noHeader).map((name, at) => ({ value: String(at), label: name }))}
              />
              <TextInput
                label={t.skipWords(index + 1)}
                description={t.skipHint}
                value={words}
                onChange={(event) => set({ words: event.currentTarget.value })}
              />
            </Fragment>
          );
        })}
    </div>
  );
}

const previewRows = 5;

function Preview({ head, values }: { head: Head; values: Values }) {
  const fields = statementFields.filter((field) => columnOf(values, field) >= 0);
  const show = (field: StatementField, text: string) => {
    if (field === 'month' && values.monthForm !== '') {
      const month = previewMonth(text, values.monthForm);
      return month === undefined ? text : formatMonth(monthToMs(month));
    }
    if (field !== 'amount' && field !== 'quantity') return text;
    const amount = previewAmount(text, values.decimalMark);
    return amount === undefined ? text : formatNumber(amount, 10);
  };
  return (
    <>
      <p className={classes.hint}>{t.previewText}</p>
      <PlainTable name={t.preview} head={fields.map((field) => frStatements.field[field])}>
        <tbody>
          {rowsOf(head, values)
            .slice(0, previewRows)
            .map((row) => (
              <tr key={row.line}>
                {fields.map((field) => (
                  <td key={field}>{show(field, row.cells[columnOf(values, field)] ?? '')}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </PlainTable>
    </>
  );
}
