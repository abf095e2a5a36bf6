import { Button, Group, PasswordInput } from '@mantine/core';
import type { Signable, SignableDetail } from '@regie/contract/routes/signatures.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  type SignatureReason,
  type SignatureSubject,
  type SigningState,
  signatureMessages,
} from '@regie/contract/signatures.ts';
import { formatDateTime, formatLongMonth, formatMoney } from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { changesText } from '#src/domain/journal/journal-changes.ts';
import { entryName, who } from '#src/domain/journal/journal-labels.ts';
import { askPasskey } from '#src/domain/sign-in/passkeys.ts';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { Notice } from '#src/ui/alerts.tsx';
import shared from '#src/ui/shared.module.css';
import { frSigning } from './signing.fr.ts';

const t = frSigning;

export const signableQuery = (subject: SignatureSubject, id: string) =>
  apiQuery(['signatures', subject, id], routes.getSignable, { params: { subject, id } });

/** Who waits for the signature of another sees it come. */
const askedAgainMs = 10_000;

/** Whether signatures are missing, and why the reader's act is refused: a signatory who acts signs by it. */
export function useSigning(subject: SignatureSubject, id: string) {
  const refetchInterval = ({ state }: { state: { data?: SignableDetail | null | undefined } }) =>
    state.data?.signing.end === null && askedAgainMs;
  const signing = useQuery({ ...signableQuery(subject, id), refetchInterval }).data?.signing;
  const isRequired = signing?.reasons.some((reason) => reason !== 'offered');
  const isMissing = isRequired && signing !== undefined && signing.count < (signing.needed ?? 1);
  const signsByAct = signing?.canSign && signing.count + 1 === signing.needed;
  return {
    version: signing?.version,
    isMissing,
    /** For a signatory whose act gives the last signature that is needed. */
    hint: signsByAct ? t.signsByAct : undefined,
    refusal: isMissing && !signsByAct ? t.required : undefined,
  };
}

export const signableName = ({ subject, label, id, entry }: Signable): string =>
  entry
    ? [entryName(entry), label].filter(Boolean).join(' · ')
    : t.name(subject, subject === 'month' ? formatLongMonth(monthToMs(id)) : label);

export function RecordSigning({ subject, id }: { subject: SignatureSubject; id: string }) {
  const { data } = useQuery(signableQuery(subject, id));
  if (!data) return null;
  if (data.signing.end) return <p className={shared.note}>{endText(data.signing)}</p>;
  const origins = data.origins.map(({ label, amountEur, note }) =>
    t.origin(formatMoney(amountEur, 'EUR'), label, note),
  );
  return (
    <SigningPanel key={id} item={data}>
      <ShortLines lines={origins} />
    </SigningPanel>
  );
}

const signerText = ({ name, at }: SigningState['signatures'][number]) => `${name}, ${formatDateTime(at)}`;
const endText = ({ end, signatures }: SigningState) =>
  signatures.length > 0 ? t.signed(signatures.map(signerText)) : end && t.end[end];

const unfolded = 2;
export function ShortLines({ lines }: { lines: readonly string[] }) {
  const more = lines.slice(unfolded);
  return (
    <>
      {lines.slice(0, unfolded).map((line) => (
        <div key={line}>{line}</div>
      ))}
      {more.length > 0 && (
        <details>
          <summary>{t.more(more.length)}</summary>
          {more.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </details>
      )}
    </>
  );
}

interface SigningPanelProps {
  item: Signable & Partial<Pick<SignableDetail, 'unsignedEur'>>;
  isOwnPage?: boolean;
  children?: ReactNode;
}

export function SigningPanel({ item, isOwnPage = false, children }: SigningPanelProps) {
  const { subject, id, entry, signing } = item;
  const { act, isBusy, failure, errors } = useAct();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const [isAsked, setIsAsked] = useState(false);
  const needsPassword = errors.password !== undefined;
  const params = { subject, id };
  const { needed, count, end, signatures, signers, version } = signing;
  const reasonText = (reason: SignatureReason) =>
    (reason === 'unsigned' || reason === 'offered') && item.unsignedEur
      ? t.withAmount(t.reasons[reason], formatMoney(item.unsignedEur, 'EUR'))
      : t.reasons[reason];
  const isPrimary = isOwnPage || !signing.reasons.includes('offered');
  const isOpen = end === null && needed !== null && count < needed;
  const sign = async (own: { idempotencyKey: string }) => {
    const asked = (await api(routes.startSigning, { params, body: { version } })).data;
    const proof = asked && { token: asked.token, passkey: await askPasskey(asked.passkey) };
    const body = { version, ...proof, ...(password && { password }) };
    const { data, message } = await api(routes.sign, { params, body, ...own });
    if (isOwnPage) await navigate({ to: paths.signatures });
    return data.isComplete ? t.complete(message, subject === 'proposal') : message;
  };
  const ask: typeof sign = async (own) => {
    const { asked } = (await api(routes.askSignature, { params, ...own })).data;
    setIsAsked(true);
    return t.asked(asked);
  };
  const withdraw: typeof sign = async (own) => {
    const { message } = await api(routes.withdrawSignature, { params, ...own });
    return subject === 'proposal' ? t.withdrawn : message;
  };
  const button = (label: string, action: typeof sign, variant = 'default') => (
    <Button size="compact-sm" variant={variant} loading={isBusy} onClick={() => act(action)}>
      {label}
    </Button>
  );
  return (
    <Notice tone={failure && !needsPassword ? 'error' : isPrimary ? 'info' : 'note'}>
      {entry && !isOwnPage && <div>{t.entry(entryName(entry), who(entry))}</div>}
      {entry && <div>{changesText(entry)}</div>}
      <strong>{end ? endText(signing) : t.state(signing)}</strong>
      {!end && signatures.map((one) => ` · ${signerText(one)}`)}
      {signing.former.map((one) => ` · ${t.former(signerText(one), one.isPart)}`)}
      {isOpen && signers.length > 0 && ` · ${t.canSign(signers)}`}
      {!end && <ShortLines lines={signing.reasons.map(reasonText)} />}
      {children}
      {failure && !needsPassword && <div>{failure}</div>}
      {needsPassword && (
        <PasswordInput
          {...t.password}
          autoFocus
          autoComplete="current-password"
          error={errors.password !== signatureMessages.proof && errors.password}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && act(sign)}
          maw={320}
        />
      )}
      <Group gap="xs" mt={6}>
        {signing.canSign && button(t.sign, sign, isPrimary ? 'filled' : 'default')}
        {!signing.canSign && isOpen && !isAsked && button(t.ask, ask)}
        {!end &&
          (subject === 'proposal'
            ? button(t.withdrawChange, withdraw)
            : signatures.some(({ isOwn }) => isOwn) && button(t.withdraw, withdraw))}
        {!isOwnPage && (
          <Link className={shared.link} to={paths.signature(subject, id)}>
            {t.details}
          </Link>
        )}
      </Group>
    </Notice>
  );
}
