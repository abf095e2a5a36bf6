import { Box, Select, Stack } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { PlainTable } from '#src/ui/plain-table.tsx';
import classes from './add-report.module.css';
import type { ValueField } from './csv-columns.ts';
import { findUnreadSample, type NumberFormat, numberFormats, offeredFormats, unreadCount } from './csv-numbers.ts';
import type { FormatChoice } from './csv-rows.ts';
import type { ColumnStatistics, TableAnalysis } from './csv-table.ts';
import { frReports } from './reports.fr.ts';

const t = frReports.import;

export const ambiguousColumns = (analysis: TableAnalysis, formats: FormatChoice): ValueField[] =>
  analysis.statistics.flatMap(({ field }) => (formats[field] === undefined ? [field] : []));

interface CsvPreviewProps {
  analysis: TableAnalysis;
  formats: FormatChoice;
  onChange: (formats: FormatChoice) => void;
}

export function CsvPreview({ analysis, formats, onChange }: CsvPreviewProps) {
  const { columns, unevenRowCount, preview } = analysis;
  return (
    <Stack aria-label={t.previewTitle} component="section" gap={20}>
      <div>
        <h3 className={classes.subtitle}>{t.previewTitle}</h3>
        <PlainTable name={t.formatTitle} head={[t.columnTitle, t.fieldTitle, t.formatTitle]} isBoxed isStackable>
          <tbody>
            <tr>
              <Box component="td" fw={600}>
                {analysis.shape.header[columns.fields.indexOf('isrc')]}
              </Box>
              <td>{frReports.fields.isrc}</td>
              <td>{t.asText}</td>
            </tr>
            {analysis.statistics.map((column) => (
              <tr key={column.field}>
                <Box component="td" fw={600}>
                  {column.name}
                </Box>
                <td>{frReports.fields[column.field]}</td>
                <td>
                  <ColumnFormat
                    column={column}
                    isWorkbook={analysis.shape.kind === 'workbook'}
                    format={formats[column.field]}
                    onChange={(format) => onChange({ ...formats, [column.field]: format })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
        {analysis.shape.notes.map((sentence) => (
          <p key={sentence} className={classes.note}>
            {sentence}
          </p>
        ))}
        {columns.ignored.length > 0 && <p className={classes.note}>{messages.columnsIgnored(columns.ignored)}</p>}
        {unevenRowCount > 0 && (
          <p className={classes.note}>{unevenRowCount === 1 ? t.unevenOne : t.uneven(fr.list.rows(unevenRowCount))}</p>
        )}
      </div>
      <div>
        <h3 className={classes.subtitle}>
          {preview.length < analysis.rowCount
            ? t.previewRows(formatInteger(preview.length), formatInteger(analysis.rowCount))
            : t.previewAllRows(fr.list.rows(analysis.rowCount))}
        </h3>
        <FirstRows analysis={analysis} />
      </div>
    </Stack>
  );
}

interface ColumnFormatProps {
  column: ColumnStatistics;
  isWorkbook: boolean;
  format: NumberFormat | undefined;
  onChange: (format: NumberFormat) => void;
}

function ColumnFormat({ column, isWorkbook, format, onChange }: ColumnFormatProps) {
  const { counts, samples } = column;
  const offered = offeredFormats(column);
  if (offered.length === 0) {
    const isEmpty = Object.entries(counts).every(([shape, count]) => shape === 'empty' || count === 0);
    return (
      <>
        {isEmpty ? t.emptyColumn : isWorkbook ? t.workbookNumbers : t.noMarks}
        <Unread column={column} format={format} />
      </>
    );
  }
  const unsure = samples.dotUnsure ?? samples.commaUnsure;
  return (
    <>
      <Select
        aria-label={t.chooseFormat(column.name)}
        data={offered.map((value) => ({ value, label: frReports.formats[value] }))}
        value={format ?? null}
        placeholder={t.choose}
        allowDeselect={false}
        onChange={(value) => {
          const chosen = numberFormats.find((name) => name === value);
          if (chosen) onChange(chosen);
        }}
        error={format === undefined ? (unsure === undefined ? t.mixed : t.ambiguous(unsure)) : undefined}
        className={classes.format}
      />
      <Unread column={column} format={format} />
    </>
  );
}

function Unread({ column, format }: { column: ColumnStatistics; format: NumberFormat | undefined }) {
  if (format === undefined) return null;
  const count = unreadCount(column, format);
  const sample = findUnreadSample(column, format);
  if (count === 0 || sample === undefined) return null;
  return (
    <span className={classes.problem} data-severe>
      {t.unread(count, sample)}
    </span>
  );
}

function FirstRows({ analysis }: { analysis: TableAnalysis }) {
  const { fields } = analysis.columns;
  return (
    <PlainTable name={t.firstRows} isBoxed className={classes.preview}>
      <thead>
        <tr>
          {analysis.shape.header.map((name, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column has no other identity than its place
            <th key={column} scope="col" data-ignored={fields[column] === undefined || undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {analysis.preview.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity than its place
          <tr key={index}>
            {row.map((text, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column has no other identity than its place
              <td key={column} data-ignored={fields[column] === undefined || undefined} title={text}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}
