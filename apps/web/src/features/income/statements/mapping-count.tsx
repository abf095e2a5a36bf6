import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { StatementHead } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import type { Charset } from '@regie/contract/statements.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { formatLine, nameLine } from '#src/domain/tracks/line-names.ts';
import { type ApiData, apiQuery } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { hasColumn, isMapped, type MappingValues, needsCurrency, toPreset } from './mapping-form.ts';
import { frStatements } from './statements.fr.ts';

const t = frStatements.mapping;
const typingMs = 400;

interface ReadingCountProps {
  id: number;
  head: StatementHead;
  values: MappingValues;
  reading: { charset: Charset | null; sheets?: string[] | null | undefined };
}

/** What the server reads of the file with this mapping, or what the mapping lacks. */
export function ReadingCount({ id, head, values, reading }: ReadingCountProps) {
  const [hasMonth, lacksCurrency] = [isMapped(values, 'month'), needsCurrency(head, values)];
  const missing = [
    !hasColumn(values, 'amount') && frStatements.field.amount,
    !(['isrc', 'upc', 'title'] as const).some((field) => hasColumn(values, field)) && frStatements.field.isrc,
    !hasMonth && values.month === undefined && frStatements.again.month,
    hasMonth && values.monthForm === '' && t.monthForm,
    lacksCurrency && values.currency.length < 3 && frStatements.again.currency,
  ].filter((field) => field !== false);
  const body = {
    preset: { ...toPreset(head, values), source: values.source || '-', name: values.name || '-' },
    month: hasMonth ? undefined : values.month,
    currency: lacksCurrency ? values.currency : undefined,
    charset: reading.charset ?? undefined,
    sheets: reading.sheets ?? undefined,
  };
  const [asked] = useDebouncedValue(missing.length === 0 ? JSON.stringify(body) : '', typingMs);
  const preview = useQuery({
    ...apiQuery(['store-statement', id, 'preview', asked], routes.previewStatement, {
      params: { id },
      body: asked === '' ? body : JSON.parse(asked),
    }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <Text role="status" fw={600} mih="1lh">
      {missing.length > 0 ? t.lacks(missing.join(', ')) : preview.data !== undefined && countText(preview.data)}
    </Text>
  );
}

function countText(preview: ApiData<typeof routes.previewStatement>): string {
  if (preview === null) return t.countedLater;
  const { counted, sums, totalLines, problem } = preview;
  if (problem)
    return [problem.line === null ? [] : nameLine(problem.line), problem.message].flat().join(fr.common.colon);
  return [
    t.rowsRead(counted),
    sums.map(({ currency, amount }) => formatMoney(Number(amount), currency)).join(' + '),
    totalLines.length > 0 ? t.totals(totalLines.map(formatLine)) : [],
  ]
    .flat()
    .join(', ');
}
