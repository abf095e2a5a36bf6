import { Box, Button, Group, Select, Stack } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type Comparison, maxComparedMonths, revenueSubjects } from '@regie/contract/routes/compare.ts';
import { capital, formatMoney } from '@regie/values/formats.ts';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { type Compared, comparePage, compareQuery, lastMonths } from '#src/domain/compare-link.tsx';
import { StatementLinks } from '#src/domain/inexact-sums.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { monthFromParam, monthToParam } from '#src/lib/months.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { KeyFigures } from '#src/ui/key-figures.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';
import { frCompare } from './compare.fr.ts';
import { answerOf, periodName } from './compare-words.ts';
import { Waterfall } from './waterfall.tsx';

const t = frCompare;
function useAsked(): Compared | undefined {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const { id }: { id?: string } = useParams({ strict: false });
  const subject = id === undefined ? revenueSubjects.find((one) => one === (search.subject ?? 'all')) : 'account';
  const value = id ?? search.value ?? '';
  const months = Number(search.months ?? 1);
  const last = lastMonths();
  if (!subject || (subject === 'account' && !/^[1-9]\d{0,14}$/.test(value))) return undefined;
  if (!Number.isInteger(months) || months < 1 || months > maxComparedMonths) return undefined;
  return {
    subject,
    value,
    a: monthFromParam(search.a) ?? last.a,
    b: monthFromParam(search.b) ?? last.b,
    months,
  };
}

export default function ComparePage() {
  const asked = useAsked();
  return asked === undefined ? <NotFound /> : <CompareView key={`${asked.subject} ${asked.value}`} asked={asked} />;
}

function CompareView({ asked }: { asked: Compared }) {
  const comparison = useQuery({ ...compareQuery(asked), placeholderData: keepPreviousData });
  return <Loaded query={comparison}>{(data) => <ComparisonPage asked={asked} data={data} />}</Loaded>;
}

function placeOf({ subject, value }: Compared, name: string) {
  const owner = { id: Number(value), name };
  if (subject === 'account') return { parent: paths.profiles, owner };
  return {
    parent: paths.analytics,
    owner: subject === 'grossAccount' ? owner : undefined,
    trail: subject === 'release' ? [{ label: name, to: paths.release(Number(value)) }] : [],
  };
}

function ComparisonPage({ asked, data }: { asked: Compared; data: Comparison }) {
  const { subject, months } = asked;
  const names = { a: periodName(data.fromA, months), b: periodName(data.fromB, months) };
  const sign = data.differenceEur === 0 ? 'same' : data.differenceEur < 0 ? 'less' : 'more';
  const answer = answerOf(subject, months, data);
  const { copied, copy } = useClipboard();
  return (
    <RecordPage
      header={
        <PageHeader
          title={frRecords.compare[sign]}
          {...placeOf(asked, data.name)}
          text={[t.subjects[subject], data.name].filter(Boolean).join('\u00a0: ')}
          actions={
            <Button leftSection={buttonIcon(copied ? IconCheck : IconCopy)} onClick={() => copy(answer)}>
              {copied ? t.copied : t.copy}
            </Button>
          }
        />
      }
    >
      <div>
        <Periods asked={asked} />
        <KeyFigures
          label={t.figures}
          figures={[
            {
              label: capital(names.a),
              value: <Money amount={data.amountAEur} currency="EUR" />,
              ...(data.isForecastA && { hint: t.forecast }),
            },
            {
              label: capital(names.b),
              value: <Money amount={data.amountBEur} currency="EUR" />,
              ...(data.isForecastB && { hint: t.forecast }),
            },
            {
              label: t.difference,
              value: (
                <>
                  {data.differenceEur > 0 && '+'}
                  <Money amount={data.differenceEur} currency="EUR" />
                </>
              ),
              hint: t.basis[subject === 'account' ? 'net' : 'gross'],
            },
          ]}
        />
        <Stack gap={8}>
          {data.doubledStatements.length > 0 && (
            <Notice tone="note">
              {t.doubled}
              <StatementLinks of={data.doubledStatements} />.
            </Notice>
          )}
          {data.missingRates.length > 0 && (
            <Notice tone="note">
              {t.missingRates(
                data.missingRates
                  .map(({ currency, amountA, amountB }) =>
                    t.fromTo(formatMoney(amountA, currency), formatMoney(amountB, currency)),
                  )
                  .join(', '),
              )}
            </Notice>
          )}
        </Stack>
      </div>
      <Section title={t.table}>
        {data.bars.length === 0 ? (
          <p className={shared.muted}>{t.nothing}</p>
        ) : (
          <Waterfall data={data} months={months} />
        )}
      </Section>
      <Section title={t.answer}>
        <Box component="blockquote" m={0} maw={760} className={shared.wrap}>
          {answer}
        </Box>
      </Section>
    </RecordPage>
  );
}

function Periods({ asked }: { asked: Compared }) {
  const navigate = useNavigate();
  const show = (change: Partial<Compared>) => {
    const { a, b, months } = { ...asked, ...change };
    const { to, search } = comparePage(asked.subject, asked.value);
    const periods = { a: monthToParam(a), b: monthToParam(b), ...(months > 1 && { months: String(months) }) };
    void navigate({ to, search: { ...search, ...periods }, replace: true });
  };
  return (
    <Group gap={16} mb={20} align="end">
      <MonthField label={t.from} value={asked.a} onChange={(a) => a !== undefined && show({ a })} required w={170} />
      <MonthField label={t.to} value={asked.b} onChange={(b) => b !== undefined && show({ b })} required w={170} />
      <Select
        label={t.months}
        w={130}
        data={Array.from({ length: maxComparedMonths }, (_, index) => String(index + 1))}
        value={String(asked.months)}
        onChange={(months) => show({ months: Number(months) })}
        allowDeselect={false}
      />
    </Group>
  );
}
