import { Button, Checkbox, Group, Stack, Textarea } from '@mantine/core';
import { exchangeRateMessages, maxEcbCharacters } from '@regie/contract/exchange-rates.ts';
import type { EcbRates } from '@regie/contract/routes/accounting.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMonth, formatRate } from '@regie/values/formats.ts';
import { useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { frAccounting } from './accounting.fr.ts';

const t = frAccounting.ecb;

const ecbAddress = 'https://data-api.ecb.europa.eu/service/data/EXR/M..EUR.SP00.A?startPeriod=2020-01&format=csvdata';
const shownChanges = 30;

export const EcbRatesModal = (dialog: DialogState) => (
  <Dialog {...dialog} title={t.title} size="lg" closeOnClickOutside={false}>
    <EcbRatesForm onSaved={dialog.onClose} />
  </Dialog>
);

function EcbRatesForm({ onSaved }: { onSaved: () => void }) {
  const [pasted, setPasted] = useState('');
  const [file, setFile] = useState<File>();
  const [shown, setShown] = useState<{ text: string; rates: EcbRates }>();
  const [withUnused, setWithUnused] = useState(false);
  useUnsavedChanges(file !== undefined || pasted.trim() !== '');
  const [problem, setProblem] = useState<string>();
  const previewing = useAct({ onFailure: setProblem, reloads: 'nothing' });
  const saving = useAct({ onFailure: setProblem });
  const preview = (from: File | string, withUnused: boolean) =>
    previewing.run(async (options) => {
      const text = typeof from === 'string' ? from : await from.text();
      const { data } = await api(routes.importEcbRates, { body: { text, withUnused, dryRun: true }, ...options });
      setShown({ text, rates: data });
    });
  const save = (text: string) => {
    const body = { text, withUnused, dryRun: false };
    saving.act(async (options) => {
      const answer = await api(routes.importEcbRates, { body, ...options });
      onSaved();
      return answer;
    }, body);
  };
  const isTooLarge = (file?.size ?? pasted.length) > maxEcbCharacters;
  const failure = isTooLarge ? exchangeRateMessages.ecbTooLarge : problem;
  const forget = () => {
    setShown(undefined);
    setProblem(undefined);
  };
  const read = (from: File | string) => {
    forget();
    setWithUnused(false);
    const size = typeof from === 'string' ? from.length : from.size;
    if (size <= maxEcbCharacters) void preview(from, false);
  };
  if (shown) {
    return (
      <Stack gap="md">
        {file && <strong className={shared.wrap}>{file.name}</strong>}
        <Preview
          rates={shown.rates}
          withUnused={withUnused}
          isBusy={saving.isBusy || previewing.isBusy}
          onUnused={async (checked) => {
            setWithUnused(checked);
            if (!(await preview(shown.text, checked))) setWithUnused(!checked);
          }}
        />
        <Message text={failure} />
        <Group justify="flex-end" gap={10}>
          <Button variant="default" onClick={forget} disabled={saving.isBusy}>
            {t.back}
          </Button>
          <Button
            loading={saving.isBusy}
            disabled={shown.rates.changes.length === 0 || previewing.isBusy}
            onClick={() => save(shown.text)}
          >
            {t.save(t.rates(shown.rates.changes.length))}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <p className={shared.muted}>
        {t.hint}{' '}
        <a className={shared.textLink} href={ecbAddress} target="_blank" rel="noreferrer">
          {t.source}
        </a>
      </p>
      <Dropzone
        label={t.drop}
        accept=".csv,.txt,text/csv,text/plain"
        hint={t.dropHint}
        fileName={file?.name}
        disabled={previewing.isBusy}
        onFile={(chosen) => {
          setPasted('');
          setFile(chosen);
          read(chosen);
        }}
      />
      <Textarea
        label={t.paste}
        autosize={false}
        rows={4}
        value={pasted}
        spellCheck={false}
        classNames={{ input: shared.mono }}
        onChange={(event) => {
          setFile(undefined);
          setPasted(event.currentTarget.value);
          forget();
        }}
      />
      <Message text={failure} />
      <Group justify="flex-end" gap={10}>
        <CancelButton />
        <Button loading={previewing.isBusy} disabled={pasted.trim() === ''} onClick={() => read(pasted)}>
          {t.read}
        </Button>
      </Group>
    </Stack>
  );
}

const isDoubtful = ({ isFuture, farFrom }: EcbRates['changes'][number]) => isFuture || farFrom !== null;

interface PreviewProps {
  rates: EcbRates;
  withUnused: boolean;
  isBusy: boolean;
  onUnused: (withUnused: boolean) => void;
}

function Preview({ rates, withUnused, isBusy, onUnused }: PreviewProps) {
  const [isWhole, setIsWhole] = useState(false);
  const { changes, unused, tooEarly, leftOut } = rates;
  const changed = changes.filter(({ former }) => former !== null).length;
  const [doubtful, plain] = [true, false].map((is) => changes.filter((change) => isDoubtful(change) === is));
  const sorted = [...(doubtful ?? []), ...(plain ?? [])];
  const rows = isWhole ? sorted : sorted.slice(0, shownChanges);
  return (
    <>
      <div role="status">
        <strong>
          {t.summary(t.changed(changed), t.added(changes.length - changed), t.unchanged(rates.unchanged))}
        </strong>
        <p className={shared.muted}>{changes.length === 0 ? t.nothing : t.posted}</p>
      </div>
      {doubtful !== undefined && doubtful.length > 0 && (
        <Notice tone="error">{t.doubtful(t.rates(doubtful.length))}</Notice>
      )}
      {unused.length > 0 && (
        <Checkbox
          label={t.unused(unused.join(', '))}
          checked={withUnused}
          disabled={isBusy}
          onChange={(event) => onUnused(event.currentTarget.checked)}
        />
      )}
      {(tooEarly > 0 || leftOut.length > 0) && (
        <Stack component="ul" gap={4} className={`${shared.bullets} ${shared.note}`}>
          {tooEarly > 0 && <li>{t.tooEarly(t.rates(tooEarly))}</li>}
          {leftOut.map(({ reason, count, series }) => (
            <li key={reason}>
              {t.leftOut[reason]} {series.join(', ')}
              {count > series.length && ` ${t.leftOutMore(formatInteger(count - series.length))}`}
            </li>
          ))}
        </Stack>
      )}
      {changes.length > 0 && (
        <PlainTable name={t.changes} isBoxed maxHeight={320} head={[t.rateOf, { right: t.former }, { right: t.next }]}>
          <tbody>
            {rows.map(({ month, currency, rate, former, isFuture, farFrom }) => (
              <tr key={`${month} ${currency}`}>
                <td data-short>
                  {`${currency}, ${formatMonth(month)}`}
                  {isFuture && <div className={shared.muted}>{t.future}</div>}
                </td>
                <td data-align="right">
                  {former === null ? <span className={shared.muted}>{t.none}</span> : formatRate(former)}
                </td>
                <td data-align="right">
                  {formatRate(rate)}
                  {farFrom !== null && <div className={shared.muted}>{t.far(formatRate(farFrom))}</div>}
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
      {rows.length < changes.length && (
        <Button variant="subtle" onClick={() => setIsWhole(true)}>
          {t.showAll(t.rates(changes.length))}
        </Button>
      )}
    </>
  );
}
