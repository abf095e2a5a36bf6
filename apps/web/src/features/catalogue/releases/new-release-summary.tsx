import { Box, Button, Group, Stack } from '@mantine/core';
import type { QuoteAnswer } from '@regie/contract/routes/orders.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { byCountryName, countryName } from '@regie/values/countries.ts';
import type { ReactNode } from 'react';
import { Cover } from '#src/domain/cover.tsx';
import { fr } from '#src/lib/fr.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { Facts, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import type { WizardStep } from './new-release-steps.tsx';
import { OrderLines } from './order-lines.tsx';
import { QualityPanel } from './quality.tsx';
import { artistOf, artistsOf, fullTitle, genreText, personName, platformName, splitList } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frNewRelease.summary;

export function SummaryStep({ release, order }: { release: Release; order: QuoteAnswer['order'] }) {
  const missing = [
    { step: 'tracks', text: t.noTrack, isMissing: release.tracks.length === 0 },
    { step: 'plan', text: t.noOrder, isMissing: order === null },
  ].filter((item) => item.isMissing);
  const territories = splitList(release.territories);
  const part = (title: string, step: WizardStep, children: ReactNode) => (
    <Section
      title={title}
      actions={
        <WizardLink step={step} releaseId={release.id} variant="default" aria-label={t.editOf(title)}>
          {fr.common.edit}
        </WizardLink>
      }
    >
      {children}
    </Section>
  );
  return (
    <Stack gap={32}>
      {missing.map((item) => (
        <Notice key={item.step} tone="error">
          {item.text}
        </Notice>
      ))}
      {part(
        t.release,
        'tracks',
        <Group align="flex-start" gap="20px 28px">
          <Cover release={release} size="hero" />
          <Box flex="1 1 260px" miw={0}>
            <Facts
              facts={[
                { label: t.title, value: fullTitle(release) },
                { label: t.artist, value: artistOf(release) ?? frReleases.noArtist },
                { label: t.account, value: release.Account && personName(release.Account) },
                { label: t.genre, value: genreText(release.genre, release.subgenre) },
                { label: t.digitalDate, value: release.digitalReleaseDate ?? fr.common.none },
                {
                  label: t.barcode,
                  value: release.barcode ? <Identifier value={release.barcode} name={t.barcode} /> : fr.common.none,
                },
              ]}
            />
          </Box>
        </Group>,
      )}
      {part(
        t.tracks,
        'tracks',
        <Stack component="ol" gap={8} pl={26} className={shared.wrap} style={{ listStyle: 'decimal' }}>
          {release.tracks.map((track) => (
            <li key={track.id}>
              {fullTitle(track)}
              <Box component="span" display="block" className={shared.note}>
                {[artistsOf(track) || frReleases.tracks.noArtist, track.isrc ?? frReleases.tracks.noIsrc].join(' · ')}
              </Box>
            </li>
          ))}
        </Stack>,
      )}
      {part(
        t.delivery,
        'plan',
        <Facts
          facts={[
            { label: t.label, value: release.digitalLabel ?? frNewRelease.plan.freeLabel },
            {
              label: t.platforms,
              value: splitList(release.platforms).map(platformName).join(', ') || frReleases.page.noPlatform,
            },
            {
              label: t.territories,
              value: territories.includes('all')
                ? frNewRelease.plan.world
                : byCountryName(territories).map(countryName).join(', '),
            },
            { label: t.express, value: release.expressDelivery ? fr.common.yes : fr.common.no },
          ]}
        />,
      )}
      {order && part(t.price, 'plan', <OrderLines quote={order.quote} plan={order.plan} promoCode={order.promoCode} />)}
      <Section title={t.quality}>
        <Box component="p" mb={14} className={shared.note}>
          {t.qualityHint}
        </Box>
        <QualityPanel quality={release.quality} tracks={release.tracks} />
      </Section>
      <Group justify="flex-end" gap={10}>
        <WizardLink step="plan" releaseId={release.id} variant="default">
          {frNewRelease.back}
        </WizardLink>
        {missing.length === 0 ? (
          <WizardLink step="pay" releaseId={release.id}>
            {frNewRelease.next.pay}
          </WizardLink>
        ) : (
          <Button disabled>{frNewRelease.next.pay}</Button>
        )}
      </Group>
    </Stack>
  );
}
