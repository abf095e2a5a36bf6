import { Box, Button, NativeSelect, SimpleGrid, Stack } from '@mantine/core';
import {
  type SmartlinkDetail,
  SmartlinkForm,
  type SmartlinkStatus,
  SmartlinkUrls,
} from '@regie/contract/routes/smartlinks.ts';
import { routes } from '@regie/contract/routes.ts';
import { type SmartlinkPlatform, smartlinkPlatformNames, smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { UrlField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound, PageSkeleton, RightGate } from '#src/ui/states.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { smartlinkQuery } from './services.api.ts';
import { frServices } from './services.fr.ts';
import classes from './services.module.css';

const t = frServices.smartlinks;

/** A smartlink's status and addresses (product §22.10). */
export default function SmartlinkPage() {
  const id = useIdParam();
  const can = useCan();
  if (id === undefined) return <NotFound />;
  return (
    <RightGate isAllowed={can('edit_smartlink')}>
      <SmartlinkLoader key={id} id={id} />
    </RightGate>
  );
}

function SmartlinkLoader({ id }: { id: number }) {
  const queryClient = useQueryClient();
  const [reloads, setReloads] = useState(0);
  const loaded = useQuery({ ...smartlinkQuery(id), staleTime: 0, gcTime: 0 });
  if (loaded.data && loaded.isFetchedAfterMount) {
    const reload = async () => {
      await queryClient.fetchQuery({ ...smartlinkQuery(id), staleTime: 0 });
      setReloads((count) => count + 1);
    };
    return <SmartlinkView key={reloads} smartlink={loaded.data} onReload={reload} />;
  }
  return <Loading query={loaded} placeholder={<PageSkeleton shape="form" />} />;
}

interface Values extends Record<string, unknown> {
  status: SmartlinkStatus;
  urls: Record<SmartlinkPlatform, string>;
}

function valuesOf({ status, urls }: SmartlinkDetail): Values {
  const links = SmartlinkUrls.parse(JSON.parse(urls));
  return {
    status,
    urls: {
      facebook: links.facebook ?? '',
      instagram: links.instagram ?? '',
      deezer: links.deezer ?? '',
      spotify: links.spotify ?? '',
      youtube: links.youtube ?? '',
      'youtube-music': links['youtube-music'] ?? '',
      anghami: links.anghami ?? '',
      'apple-music': links['apple-music'] ?? '',
    },
  };
}

function SmartlinkView({ smartlink: first, onReload }: { smartlink: SmartlinkDetail; onReload: () => Promise<void> }) {
  // The last saved record; the form keeps its input.
  const [smartlink, setSmartlink] = useState(first);
  const isEnabled = smartlink.status === 'ENABLED';
  const isOnline = isEnabled && !smartlink.Library.isWithdrawn;
  return (
    <RecordPage
      header={
        <PageHeader
          title={t.editTitle(smartlink.Library.title)}
          badge={<StatusBadge tone={isEnabled ? 'success' : 'warning'}>{t.status[smartlink.status]}</StatusBadge>}
          text={smartlink.Library.artist}
          parent={paths.smartlinks(isEnabled ? 'enabled' : 'pending')}
          actions={
            isOnline && (
              <Button
                component="a"
                href={smartlink.link}
                target="_blank"
                rel="noopener"
                variant="default"
                leftSection={buttonIcon(IconExternalLink)}
              >
                {t.openPage}
              </Button>
            )
          }
        />
      }
      side={
        <Section title={t.facts}>
          <Facts
            facts={[
              { label: t.createdAt, value: <DateText ms={smartlink.createdAt} /> },
              { label: t.clicks, value: formatInteger(smartlink.clicks) },
              {
                label: t.release,
                value: (
                  <Link className={shared.link} to={paths.release(smartlink.Library.id)}>
                    {smartlink.Library.title}
                  </Link>
                ),
              },
            ]}
          />
        </Section>
      }
    >
      <Stack gap={16} maw={760}>
        {smartlink.Library.isWithdrawn && <Notice tone="info">{t.offlineHint}</Notice>}
        <div>
          <Box mb={2} fz={14} fw={500}>
            {t.link}
          </Box>
          <span className={classes.link}>
            <Identifier value={smartlink.link} name={t.copyLink} />
          </span>
        </div>
        <Form
          schema={SmartlinkForm}
          initialValues={valuesOf(first)}
          toBody={(values) => ({ ...values, updatedAt: smartlink.updatedAt })}
          submit={({ urls, ...body }) =>
            api(routes.editSmartlink, { params: { id: smartlink.id }, body: { ...body, urls: JSON.stringify(urls) } })
          }
          onSuccess={({ data }) => setSmartlink(data)}
          submitLabel={t.save}
          onReload={onReload}
          hasSaveBar
        >
          {(form) => (
            <>
              <NativeSelect
                label={t.statusField}
                description={t.statusHint}
                required
                {...form.getInputProps('status')}
                data={(['PENDING', 'ENABLED'] as const).map((value) => ({ value, label: t.status[value] }))}
              />
              {form.values.status === 'ENABLED' &&
                Object.values(form.values.urls).every((url) => url.trim() === '') && (
                  <Notice tone="info">{t.noUrl}</Notice>
                )}
              <fieldset className={classes.fieldset}>
                <legend>{t.urls}</legend>
                <p className={shared.note}>{t.urlsHint}</p>
                <SimpleGrid minColWidth="min(280px, 100%)" autoFlow="auto-fit" spacing={16}>
                  {smartlinkPlatforms.map((platform) => (
                    <UrlField
                      key={platform}
                      label={smartlinkPlatformNames[platform]}
                      placeholder={t.urlPlaceholder}
                      {...form.getInputProps(`urls.${platform}`)}
                    />
                  ))}
                </SimpleGrid>
              </fieldset>
            </>
          )}
        </Form>
      </Stack>
    </RecordPage>
  );
}
