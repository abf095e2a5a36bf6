import { Button, Group, Radio, Stack } from '@mantine/core';
import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { type Charset, statementMessages } from '@regie/contract/statements.ts';
import { useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { Message } from '#src/ui/alerts.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { CurrencyField } from './file-fields.tsx';
import { HeadTable } from './head-table.tsx';
import { frStatements } from './statements.fr.ts';

const t = frStatements.page;

export function PresetChoice({ id, head }: { id: number; head: NonNullable<StatementDetail['head']> }) {
  const [first] = head.fitting;
  const [preset, setPreset] = useState(head.fitting.length === 1 ? (first?.key ?? null) : null);
  const [month, setMonth] = useState<number>();
  const [currency, setCurrency] = useState('');
  const [charset, setCharset] = useState<Charset>();
  const asked = head.fitting.find(({ key }) => key === preset);
  const { act, isBusy, failure, errors } = useAct();
  const read = () =>
    act(() =>
      api(routes.readStatementWith, {
        params: { id },
        body: {
          preset,
          month: asked?.needsMonth ? month : undefined,
          currency: asked?.needsCurrency ? currency : undefined,
          charset,
        },
      }),
    );
  const [isAsked, setIsAsked] = useState(false);
  const isMonthMissing = asked?.needsMonth === true && month === undefined;
  const isCurrencyMissing = asked?.needsCurrency === true && !/^[A-Z]{3}$/.test(currency);
  const isCharsetMissing = head.charsets.length > 0 && charset === undefined;
  const isAtField = ['preset', 'month', 'currency', 'charset'].some((field) => errors[field] !== undefined);
  return (
    <Section title={t.chooseTitle}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setIsAsked(true);
          if (preset !== null && !isMonthMissing && !isCurrencyMissing && !isCharsetMissing) read();
        }}
      >
        <Stack gap="md">
          <Message text={!isAtField && failure} />
          <Radio.Group
            value={preset}
            onChange={(key) => {
              setPreset(key);
              // The currency was chosen for the other preset.
              setCurrency('');
            }}
            label={frStatements.column.preset}
            required
            error={isAsked && preset === null ? t.presetRequired : errors.preset}
          >
            <Stack gap={8} mt={6} className={shared.wrap}>
              {head.fitting.map(({ key, name, source }) => (
                <Radio key={key} value={key} label={name} description={source} />
              ))}
            </Stack>
          </Radio.Group>
          {asked?.needsMonth && (
            <MonthField
              label={frStatements.again.month}
              required
              value={month}
              onChange={setMonth}
              w={220}
              error={isAsked && isMonthMissing ? statementMessages.monthRequired : errors.month}
            />
          )}
          {asked?.needsCurrency && (
            <CurrencyField
              required
              w={220}
              value={currency}
              onChange={setCurrency}
              offered={asked.currencies}
              last={asked.lastCurrency}
              error={isAsked && isCurrencyMissing ? statementMessages.currencyRequired : errors.currency}
            />
          )}
          {head.charsets.length > 0 && (
            <Radio.Group
              label={frStatements.again.charset}
              required
              value={charset ?? null}
              onChange={(chosen) => setCharset(head.charsets.find((one) => one.charset === chosen)?.charset)}
              error={isAsked && isCharsetMissing ? statementMessages.charsetRequired : errors.charset}
            >
              <Stack gap={8} mt={6} className={shared.wrap}>
                {head.charsets.map((one) => (
                  <Radio
                    key={one.charset}
                    value={one.charset}
                    label={one.sample}
                    description={frStatements.charset[one.charset]}
                  />
                ))}
              </Stack>
            </Radio.Group>
          )}
          <HeadTable rows={head.rows} />
          <Group justify="flex-end" gap={8} mt={16}>
            <Button type="submit" loading={isBusy}>
              {t.choose}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
