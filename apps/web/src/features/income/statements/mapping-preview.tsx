import type { StatementHead } from '@regie/contract/routes/statements.ts';
import type { StatementField } from '@regie/contract/statements.ts';
import { formatMonth, formatNumber } from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { foldName } from '@regie/values/search-text.ts';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { previewPreambleMonth } from './mapping-fields.tsx';
import {
  columnNames,
  columnOf,
  dataRows,
  fieldText,
  type MappingValues,
  preambleValue,
  shownFields,
} from './mapping-form.ts';
import { previewAmount, previewMonth } from './mapping-guess.ts';
import { frStatements } from './statements.fr.ts';

const t = frStatements.mapping;
const previewRows = 5;

export function Preview({ head, values }: { head: StatementHead; values: MappingValues }) {
  const fields = shownFields(values);
  const names = columnNames(head, values).map(foldName);
  const rows = dataRows(head, values).slice(0, previewRows);
  const number = (text: string) => {
    const amount = previewAmount(text, values.decimalMark);
    return amount === undefined ? text : formatNumber(amount, 10);
  };
  const monthText = (month: string | undefined, text: string) =>
    month === undefined ? text : formatMonth(monthToMs(month));
  const emptyAmount = (cells: readonly string[]) => {
    if (values.emptyAmount === 'refuse') return t.previewRefused;
    if (values.emptyAmount === 'leaveOut') return t.previewLeftOut;
    return values.sum
      .map(({ column, sign }, index) => {
        const text = number(cells[names.indexOf(foldName(column))] ?? '') || '0';
        return sign > 0 ? `${index === 0 ? '' : '+ '}${text}` : `− ${text}`;
      })
      .join(' ');
  };
  const show = (field: StatementField, cells: readonly string[]) => {
    if (columnOf(values, field) < 0) {
      const text = field === 'upc' ? '' : aboveText(field);
      return field === 'month' ? monthText(previewPreambleMonth(head, values), text) : text;
    }
    const text = fieldText(head, values, field, cells);
    if (field === 'month' && values.monthForm !== '') {
      const end = columnOf(values, 'periodEnd');
      return monthText(previewMonth(text, values.monthForm, end < 0 ? undefined : (cells[end] ?? '')), text);
    }
    if (field === 'amount' && text.trim() === '') return emptyAmount(cells);
    return field === 'amount' || field === 'quantity' ? number(text) : text;
  };
  const aboveText = (field: StatementField) =>
    field === 'month' || field === 'periodEnd' || field === 'currency' || field === 'store' || field === 'country'
      ? (preambleValue(head, values, field) ?? '')
      : '';
  return rows.length === 0 ? (
    <p className={shared.under}>{t.previewNone}</p>
  ) : (
    <>
      <p className={shared.under}>{t.previewText}</p>
      <PlainTable name={t.preview} head={fields.map((field) => frStatements.field[field])}>
        <tbody>
          {rows.map(({ line, cells }) => (
            <tr key={line}>
              {fields.map((field) => (
                <td key={field}>{show(field, cells)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </>
  );
}
