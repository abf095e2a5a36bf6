import { Box, Group, Stack } from '@mantine/core';
import { aiLabel } from '@regie/contract/releases.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { orderStatuses } from '@regie/contract/state-names.ts';
import { byCountryName, countryName } from '@regie/values/countries.ts';
import { formatPercent } from '@regie/values/formats.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { frAi } from '#src/domain/ai/ai.fr.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { fr } from '#src/lib/fr.ts';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Money } from '#src/ui/money.tsx';
import { Facts, hasValue, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { genreText, orderItemsOf, paymentOf, personName, platformName, splitList } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases.page;

/** `2024 · Studio Nord`, or the one of both that is set. */
function yearAndOwner(year: number | null, owner: string | null): string | undefined {
  if (year !== null && owner) return t.yearAndOwner(String(year), owner);
  return year === null ? (owner ?? undefined) : String(year);
}

export function HeroFacts({ release }: { release: Release }) {
  const facts = [
    { label: t.genre, value: genreText(release.genre, release.subgenre) || fr.common.none },
    { label: t.language, value: release.language },
    { label: t.recording, value: yearAndOwner(release.yearOfRegistration, release.recordingOwnerName) },
    { label: t.cover, value: yearAndOwner(release.coverDetailsYear, release.coverDetailsOwner) },
    { label: frAi.coverAi, value: aiLabel(release.coverAi) },
    { label: t.originalDate, value: release.originalRealeaseDate ?? fr.common.none },
    { label: t.digitalDate, value: release.digitalReleaseDate ?? fr.common.none },
    {
      label: t.barcode,
      value: release.barcode ? <Identifier value={release.barcode} name={t.barcode} /> : fr.common.none,
    },
    {
      label: t.catalogNumber,
      value: release.catalogNumber && <Identifier value={release.catalogNumber} name={t.catalogNumber} />,
    },
    { label: t.label, value: release.label },
    { label: t.publisherLink, value: release.publisherLink },
    { label: t.createdAt, value: <DateText ms={release.createdAt} /> },
    { label: t.note, value: release.note },
  ].filter(hasValue);
  return (
    <dl className={classes.heroFacts}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const planName = (plan: string): string => Object.entries(t.plans).find(([key]) => key === plan)?.[1] ?? plan;

/** Customer, order and invoice (absent for those who may not see them, product §34.15), and delivery. */
export function SideBlocks({ release }: { release: Release }) {
  return (
    <Stack gap={28}>
      {release.Account && <Customer release={release} account={release.Account} />}
      {release.Order && <Order order={release.Order} />}
      {release.Order && <Invoice release={release} order={release.Order} />}
      <Delivery release={release} />
    </Stack>
  );
}

function Customer({ release, account }: { release: Release; account: NonNullable<Release['Account']> }) {
  const payment = release.Order && paymentOf(release.Order);
  const address = [account.address, [account.postcode, account.city].filter(Boolean).join(' '), account.country];
  return (
    <Section title={t.customer}>
      <Facts
        facts={[
          { label: t.name, value: <AccountLink id={account.id}>{personName(account)}</AccountLink> },
          { label: t.email, value: account.email },
          { label: t.address, value: address.filter(Boolean).join(', ') },
          { label: t.paymentId, value: payment?.id && <Identifier value={payment.id} name={t.paymentId} /> },
        ]}
      />
    </Section>
  );
}

function Order({ order }: { order: NonNullable<Release['Order']> }) {
  const items = orderItemsOf(order);
  return (
    <Section title={t.order}>
      <Facts
        facts={[
          {
            label: t.orderStatus,
            value: <StatusBadge tone={stateTones.payment[order.status]}>{orderStatuses[order.status]}</StatusBadge>,
          },
          { label: t.orderId, value: fr.list.recordNumber(String(order.id)) },
          {
            label: t.totalLocal,
            value: <Money amount={order.totalAmountByLocation} currency={items?.currency ?? 'EUR'} />,
          },
          {
            label: t.totalGlobal,
            value: <Money amount={order.totalAmountGlobal} currency={items?.globalCurrency ?? 'EUR'} />,
          },
          { label: t.paidAt, value: order.paidAt !== null && <DateText ms={order.paidAt} /> },
        ]}
      />
    </Section>
  );
}

function Invoice({ release, order }: { release: Release; order: NonNullable<Release['Order']> }) {
  const items = orderItemsOf(order);
  const money = (amount: number | undefined) =>
    amount === undefined ? undefined : <Money amount={amount} currency={items?.currency ?? 'EUR'} />;
  return (
    <Section title={t.invoice}>
      <Facts
        facts={[
          {
            label: t.invoiceNumber,
            value: order.invoiceNumber && <Identifier value={order.invoiceNumber} name={t.invoiceNumber} />,
          },
          { label: t.plan, value: planName(order.plan) },
          { label: t.planPrice, value: money(items?.planPrice) },
          { label: t.digitalLabel, value: release.digitalLabel ?? t.freeLabel },
          { label: t.labelFees, value: money(items?.labelFees) },
          { label: t.express, value: release.expressDelivery ? fr.common.yes : fr.common.no },
          { label: t.expressPrice, value: release.expressDelivery && money(items?.expressDeliveryPrice) },
          { label: t.discount(order.promoCode), value: order.discount > 0 && money(-order.discount) },
          { label: t.vat(formatPercent(order.vatPercent)), value: money(order.vatAmount) },
          { label: t.digitalGenre, value: genreText(release.digitalGenre, release.digitalSubgenre) },
        ]}
      />
    </Section>
  );
}

function Delivery({ release }: { release: Release }) {
  const territories = splitList(release.territories);
  return (
    <Section title={t.delivery}>
      <Chips
        title={t.territories}
        items={territories.includes('all') ? [t.allTerritories] : byCountryName(territories).map(countryName)}
        none={t.noTerritory}
      />
      <Chips title={t.platforms} items={splitList(release.platforms).map(platformName)} none={t.noPlatform} />
    </Section>
  );
}

function Chips({ title, items, none }: { title: string; items: readonly string[]; none: string }) {
  return (
    <>
      <Box component="h3" fz={13} fw={550} className={shared.muted}>
        {title}
      </Box>
      {items.length === 0 && <p className={shared.note}>{none}</p>}
      <Group component="ul" gap={6} mt={4} mb={14} className={classes.chips}>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </Group>
    </>
  );
}
