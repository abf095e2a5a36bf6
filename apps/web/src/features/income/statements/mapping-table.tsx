import { Checkbox, Group, NativeSelect, Stack } from '@mantine/core';
import { type PreambleField, StatementField } from '@regie/contract/statements.ts';
import { formatInteger, formatMonth, formatNumber } from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { foldName } from '@regie/values/search-text.ts';
import { type ReactNode, useEffect, useRef } from 'react';
import { Message } from '#src/ui/alerts.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import type { MappingFieldsProps } from './mapping-fields.tsx';
import {
  columnNames,
  columnOf,
  dataRows,
  fieldText,
  guessCurrency,
  guessForm,
  isHeaderMissing,
  type MappingValues,
  type Meaning,
  withHeader,
} from './mapping-form.ts';
import { previewAmount, previewMonth } from './mapping-guess.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.mapping;
const [leastRows, rowsBehindHeader] = [20, 10];
const options = [
  { value: '', label: t.ignored },
  ...StatementField.options.map((value) => ({ value, label: frStatements.field[value] })),
];

/** The file's first rows, as read with the meanings chosen above its columns. */
export function MappingTable({ head, form, children }: MappingFieldsProps & { children: ReactNode }) {
  const { values } = form;
  const { hasHeader, headerLine } = values;
  const names = columnNames(head, values);
  const read = new Set(dataRows(head, values));
  const shown = Math.max(leastRows, (hasHeader ? (headerLine ?? 0) : 0) + rowsBehindHeader);
  const chosen = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    const row = headerLine === undefined ? null : chosen.current;
    const box = row?.closest<HTMLElement>('[role="group"]');
    if (!row || !box) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  }, [headerLine]);
  const move = (header: Pick<MappingValues, 'hasHeader' | 'headerLine'>) =>
    form.setValues(withHeader(head, values, header));
  const choose = (index: number, meaning: Meaning) => {
    const meanings = values.meanings.map((present, at) =>
      at === index ? meaning : meaning !== '' && present === meaning ? '' : present,
    );
    const { [meaning as PreambleField]: _, ...preamble } = values.preamble;
    const next = { ...values, meanings, preamble };
    form.setValues({
      ...next,
      monthForm: meaning === 'month' ? guessForm(head, next) : values.monthForm,
      currency: meaning === 'amount' ? guessCurrency(head, next) : values.currency,
    });
  };
  const [error] = Object.entries(form.errors).flatMap(([path, text]) => (path.startsWith('columns') ? [text] : []));
  return (
    <Stack gap="sm">
      <div className={classes.headerFields}>
        <NumberField
          label={t.header}
          description={t.headerHint}
          value={headerLine}
          onChange={(line) => move({ hasHeader, headerLine: line })}
          disabled={!hasHeader}
          required={hasHeader}
          error={isHeaderMissing(head, values) && t.headerUnknown}
          w={220}
        />
        <Checkbox
          label={t.noHeader}
          checked={!hasHeader}
          onChange={(event) => move({ hasHeader: !event.currentTarget.checked, headerLine })}
        />
      </div>
      <Message text={error} />
      {children}
      <PlainTable name={t.firstLines} isBoxed maxHeight={420}>
        <thead>
          <tr>
            <th scope="col" className={classes.lineCell}>
              <span className="visually-hidden">{t.header}</span>
            </th>
            {names.map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns of a file, which never move
              <th key={index} scope="col" className={classes.meaning}>
                <NativeSelect
                  size="xs"
                  aria-label={t.meaningOf(name || t.unnamed)}
                  disabled={name === ''}
                  value={values.meanings[index] ?? ''}
                  onChange={(event) => choose(index, event.currentTarget.value as Meaning)}
                  data={options}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {head.rows
            .filter(({ line }) => line <= shown)
            .map((row) => {
              const isHeader = hasHeader && row.line === headerLine;
              return (
                <tr key={row.line} ref={isHeader ? chosen : undefined} aria-current={isHeader || undefined}>
                  <th scope="row" data-align="right" className={classes.lineCell}>
                    <Group component="label" gap={8} display="inline-flex" wrap="nowrap">
                      <input
                        type="radio"
                        name="header"
                        aria-label={t.chooseLine(formatInteger(row.line))}
                        checked={isHeader}
                        disabled={!hasHeader}
                        onChange={() => move({ hasHeader, headerLine: row.line })}
                      />
                      {formatInteger(row.line)}
                    </Group>
                  </th>
                  {row.cells.map((cell, index) => {
                    const field = read.has(row) && values.meanings[index];
                    return (
                      // biome-ignore lint/suspicious/noArrayIndexKey: cells of a file, which never move
                      <td key={index} className={`${shared.cut} ${classes.fileCell} ${field ? '' : shared.muted}`}>
                        {field ? asRead(head, values, field, row.cells) : cell}
                      </td>
                    );
                  })}
                  {row.cells.length < names.length && <td colSpan={names.length - row.cells.length} />}
                </tr>
              );
            })}
        </tbody>
      </PlainTable>
    </Stack>
  );
}

function asRead(
  head: MappingFieldsProps['head'],
  values: MappingValues,
  field: StatementField,
  cells: readonly string[],
): string {
  const number = (text: string) => {
    const amount = previewAmount(text, values.decimalMark);
    return amount === undefined ? text : formatNumber(amount, 10);
  };
  const text = fieldText(head, values, field, cells);
  if (field === 'month' && values.monthForm !== '') {
    const end = columnOf(values, 'periodEnd');
    const month = previewMonth(text, values.monthForm, end < 0 ? undefined : (cells[end] ?? ''));
    return month === undefined ? text : formatMonth(monthToMs(month));
  }
  if (field !== 'amount' || text.trim() !== '') return field === 'amount' || field === 'quantity' ? number(text) : text;
  if (values.emptyAmount !== 'sum') return values.emptyAmount === 'refuse' ? t.previewRefused : t.previewLeftOut;
  const names = columnNames(head, values).map(foldName);
  return values.sum
    .map(({ column, sign }, index) => {
      const part = number(cells[names.indexOf(foldName(column))] ?? '') || '0';
      return sign > 0 ? `${index === 0 ? '' : '+ '}${part}` : `− ${part}`;
    })
    .join(' ');
}
