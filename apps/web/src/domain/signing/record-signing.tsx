import { Button, Group, PasswordInput } from '@mantine/core';
import type { Signable } from '@regie/contract/routes/signatures.ts';
import { routes } from '@regie/contract/routes.ts';
import { type SignatureSubject, signatureMessages } from '@regie/contract/signatures.ts';
import { monthToMs } from '@regie/values/month.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { changesText } from '#src/domain/journal/journal-changes.ts';
import { entryName, who } from '#src/domain/journal/journal-labels.ts';
import { askPasskey } from '#src/domain/sign-in/passkeys.ts';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatDateTime, formatLongMonth } from '#src/lib/formats.ts';
import { Notice } from '#src/ui/alerts.tsx';
import shared from '#src/ui/shared.module.css';
import { frSigning } from './signing.fr.ts';

const t = frSigning;

/** Null where there is nothing to sign. */
export const signableQuery = (subject: SignatureSubject, id: string) =>
  apiQuery(['signatures', subject, id], routes.getSignable, { params: { subject, id } });

/** Whether signatures are missing, and why the reader's act is refused: a signatory who acts signs by it. */
export function useSigning(subject: SignatureSubject, id: string) {
  const signing = useQuery(signableQuery(subject, id)).data?.signing;
  const isRequired = signing?.reasons.some((reason) => reason !== 'offered');
  const isMissing = isRequired && signing !== undefined && signing.signatures.length < (signing.needed ?? 1);
  return { version: signing?.version, isMissing, refusal: isMissing && !signing.canSign ? t.required : undefined };
}

/** What a signature is about, in words. */
export const signableName = ({ subject, label, id, entry }: Signable): string =>
  entry
    ? [entryName(entry), label].filter(Boolean).join(' · ')
    : t.name(subject, subject === 'month' ? formatLongMonth(monthToMs(id)) : label);

/** The signatures of a record; nothing where there is nothing to sign. */
export function RecordSigning({ subject, id }: { subject: SignatureSubject; id: string }) {
  const { data } = useQuery(signableQuery(subject, id));
  return data && <SigningPanel item={data} />;
}

interface SigningPanelProps {
  item: Signable;
  /** The page of what is signed: its title is the name, and it leads to the list where nothing is left to sign. */
  isOwnPage?: boolean;
}

/** The signatures of a record: given and needed, why, and the reader's actions. */
export function SigningPanel({ item: { subject, id, entry, signing }, isOwnPage = false }: SigningPanelProps) {
  const { act, isBusy, failure, errors } = useAct();
  const [password, setPassword] = useState('');
  const needsPassword = errors.password !== undefined;
  const params = { subject, id };
  const { needed, signatures, signers, version } = signing;
  const isOpen = needed !== null && signatures.length < needed;
  const reasons = signing.reasons.map((reason) => <div key={reason}>{t.reasons[reason]}</div>);
  const sign = async (own: { idempotencyKey: string }) => {
    const asked = (await api(routes.startSigning, { params, body: { version } })).data;
    const proof = asked && { token: asked.token, passkey: await askPasskey(asked.passkey) };
    const body = { version, ...proof, ...(password && { password }) };
    return (await api(routes.sign, { params, body, ...own })).message;
  };
  const ask: typeof sign = async (own) => t.asked((await api(routes.askSignature, { params, ...own })).data.asked);
  const withdraw: typeof sign = async (own) => (await api(routes.withdrawSignature, { params, ...own })).message;
  const button = (label: string, action: typeof sign, variant = 'default') => (
    <Button
      size="compact-sm"
      variant={variant}
      loading={isBusy}
      onClick={() => act(async (own) => flashSuccess(await action(own), { afterNavigation: isOwnPage }))}
    >
      {label}
    </Button>
  );
  return (
    <Notice tone={failure && !needsPassword ? 'error' : 'info'}>
      {entry && !isOwnPage && <div>{t.entry(entryName(entry), who(entry))}</div>}
      {entry && <div>{changesText(entry)}</div>}
      <strong>{t.state(signing)}</strong>
      {signatures.map(({ name, at }) => ` · ${name}, ${formatDateTime(at)}`)}
      {isOpen && signers.length > 0 && ` · ${t.canSign(signers)}`}
      {reasons.slice(0, 2)}
      {reasons.length > 2 && (
        <details>
          <summary>{t.more(reasons.length - 2)}</summary>
          {reasons.slice(2)}
        </details>
      )}
      {failure && !needsPassword && <div>{failure}</div>}
      {needsPassword && (
        <PasswordInput
          {...t.password}
          autoComplete="current-password"
          error={errors.password !== signatureMessages.proof && errors.password}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          maw={320}
        />
      )}
      <Group gap="xs" mt={6}>
        {signing.canSign ? button(t.sign, sign, 'filled') : isOpen && button(t.ask, ask)}
        {subject === 'proposal'
          ? button(t.withdrawChange, withdraw)
          : signatures.some(({ isOwn }) => isOwn) && button(t.withdraw, withdraw)}
        {!isOwnPage && (
          <Link className={shared.link} to={paths.signature(subject, id)}>
            {t.details}
          </Link>
        )}
      </Group>
    </Notice>
  );
}
