import { Checkbox, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { StatementHead } from '@regie/contract/routes/statements.ts';
import { type PreambleField, preambleFields } from '@regie/contract/statements.ts';
import { formatMonth } from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { monthForms } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';
import { fieldProps } from '#src/ui/form.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import shared from '#src/ui/shared.module.css';
import { CurrencyField } from './file-fields.tsx';
import {
  columnNames,
  currencyInName,
  guessForm,
  hasColumn,
  isMapped,
  type MappingValues,
  type Mark,
  preambleOf,
  preambleValue,
} from './mapping-form.ts';
import { previewMonth } from './mapping-guess.ts';
import { ColumnSelect, RuleRows } from './rule-rows.tsx';
import { frStatements } from './statements.fr.ts';

const { again, column, mapping: t } = frStatements;
const maxExample = 60;

export interface MappingFieldsProps {
  head: StatementHead;
  form: UseFormReturnType<MappingValues>;
}

export function PreambleFields({ head, form }: MappingFieldsProps) {
  const { values } = form;
  const pairs = preambleOf(head, values);
  const choose = (field: PreambleField, name: string) => {
    const { [field]: _, ...others } = values.preamble;
    const preamble = name === '' ? others : { ...others, [field]: name };
    // A meaning is read from one place of the file only.
    const meanings = values.meanings.map((meaning) => (name !== '' && meaning === field ? '' : meaning));
    const next = { ...values, preamble, meanings };
    const isDate = field === 'month' || field === 'periodEnd';
    form.setValues({ preamble, meanings, monthForm: isDate ? guessForm(head, next) : values.monthForm });
    form.clearFieldError(`preamble.${field}`);
  };
  const month = previewPreambleMonth(head, values);
  return (
    <>
      <p className={shared.under}>{t.preambleText}</p>
      <SimpleGrid minColWidth="min(220px, 100%)" autoFlow="auto-fit" spacing={16}>
        {preambleFields.map((field) => {
          const chosen = values.preamble[field];
          const pair = pairs.find(({ name }) => foldName(name) === foldName(chosen ?? ''));
          return (
            <NativeSelect
              key={field}
              label={t.preambleOf(frStatements.field[field])}
              description={
                field === 'month' && month !== undefined ? t.gives(formatMonth(monthToMs(month))) : undefined
              }
              value={pair?.name ?? chosen ?? ''}
              onChange={(event) => choose(field, event.currentTarget.value)}
              error={form.errors[`preamble.${field}`]}
              data={[
                { value: '', label: t.preambleNone },
                ...pairs.map(({ name, values: [value = ''] }) => ({
                  value: name,
                  label: t.preamblePair(name, value).slice(0, maxExample),
                })),
                ...(chosen !== undefined && !pair ? [{ value: chosen, label: t.preambleAbsent(chosen) }] : []),
              ]}
            />
          );
        })}
      </SimpleGrid>
    </>
  );
}

function previewPreambleMonth(head: StatementHead, values: MappingValues): string | undefined {
  const start = preambleValue(head, values, 'month');
  if (start === undefined || values.monthForm === '') return undefined;
  return previewMonth(start, values.monthForm, preambleValue(head, values, 'periodEnd'));
}

export function PresetFields({ head, form }: MappingFieldsProps) {
  const { values } = form;
  return (
    <SimpleGrid minColWidth="min(220px, 100%)" autoFlow="auto-fit" spacing={16}>
      <TextInput label={column.source} description={t.sourceHint} required {...form.getInputProps('source')} />
      <TextInput label={t.name} required {...form.getInputProps('name')} />
      {!isMapped(values, 'currency') && (
        <CurrencyField
          value={values.currency}
          onChange={(currency) => form.setFieldValue('currency', currency)}
          offered={[]}
          required
          description={currencyInName(head, values) === undefined ? t.currencyHint : t.currencyInName}
          error={form.errors.currency}
        />
      )}
      {!isMapped(values, 'store') && (
        <TextInput label={frStatements.field.store} description={t.storeHint} {...form.getInputProps('store')} />
      )}
      {isMapped(values, 'month') ? (
        <NativeSelect
          label={t.monthForm}
          required
          value={values.monthForm}
          onChange={(event) => form.setFieldValue('monthForm', event.currentTarget.value as MappingValues['monthForm'])}
          error={form.errors.monthForms}
          data={[
            { value: '', label: '' },
            ...monthForms.map((value) => ({ value, label: frStatements.monthForm[value] })),
          ]}
        />
      ) : (
        <MonthField label={again.month} description={t.monthHint} required {...fieldProps(form, 'month')} />
      )}
      <NativeSelect
        label={again.decimalMark}
        value={values.decimalMark}
        onChange={(event) => form.setFieldValue('decimalMark', event.currentTarget.value as Mark)}
        data={(['either', '.', ','] as const).map((value) => ({ value, label: t.decimal[value] }))}
      />
      {!hasColumn(values, 'kind') && (
        <NativeSelect
          label={t.kind}
          value={values.kind}
          onChange={(event) => form.setFieldValue('kind', event.currentTarget.value as MappingValues['kind'])}
          data={[
            { value: '', label: t.kindByStore },
            ...(['stream', 'download', 'video'] as const).map((value) => ({ value, label: frStatements.kind[value] })),
          ]}
        />
      )}
    </SimpleGrid>
  );
}

const maxSumColumns = 10;

/** The meaning of an empty amount: never zero. */
export function EmptyAmountFields({ head, form }: MappingFieldsProps) {
  const { emptyAmount, sum } = form.values;
  const names = columnNames(head, form.values);
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t.empty}
        description={t.emptyHint}
        value={emptyAmount}
        onChange={(event) =>
          form.setFieldValue('emptyAmount', event.currentTarget.value as MappingValues['emptyAmount'])
        }
        data={(['refuse', 'leaveOut', 'sum'] as const).map((value) => ({ value, label: t.emptyChoice[value] }))}
      />
      {emptyAmount === 'sum' && (
        <RuleRows
          rows={sum}
          onChange={(columns) => form.setFieldValue('sum', columns)}
          addLabel={t.addColumn}
          removeLabel={t.removeColumn}
          added={sum.length < maxSumColumns ? { column: '', sign: 1, mayBeEmpty: false } : undefined}
          fewest={1}
        >
          {(row, number, change) => (
            <>
              <NativeSelect
                label={t.sign(number)}
                value={String(row.sign)}
                onChange={(event) => change({ sign: event.currentTarget.value === '1' ? 1 : -1 })}
                data={[
                  { value: '1', label: t.plus },
                  { value: '-1', label: t.minus },
                ]}
              />
              <ColumnSelect
                label={t.sumColumn(number)}
                required
                names={names}
                row={row}
                change={change}
                error={form.errors[`emptyAmount.sum.${number - 1}.column`]}
              />
              <Checkbox
                pb={8}
                label={t.mayBeEmpty}
                aria-label={t.mayBeEmptyOf(number)}
                checked={row.mayBeEmpty}
                onChange={(event) => change({ mayBeEmpty: event.currentTarget.checked })}
              />
            </>
          )}
        </RuleRows>
      )}
    </Stack>
  );
}
