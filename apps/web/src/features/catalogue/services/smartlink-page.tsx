import { Box, Button, NativeSelect, Stack } from '@mantine/core';
import { type SmartlinkDetail, SmartlinkForm, SmartlinkUrls } from '@regie/contract/routes/smartlinks.ts';
import { routes } from '@regie/contract/routes.ts';
import { smartlinkPlatformNames, smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconExternalLink } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { Cover } from '#src/domain/cover.tsx';
import { api, apiQuery } from '#src/lib/api.ts';
import { useFormRecord } from '#src/lib/form-record.ts';
import { fr } from '#src/lib/fr.ts';
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
  const { record, loaded, version, reload } = useFormRecord(
    apiQuery(['smartlink', id], routes.getSmartlink, { params: { id } }),
  );
  if (!record) return <Loading query={loaded} placeholder={<PageSkeleton shape="form" />} />;
  return <SmartlinkView key={version} smartlink={record} onReload={reload} />;
}

function valuesOf({ status, urls }: SmartlinkDetail) {
  const links = SmartlinkUrls.parse(JSON.parse(urls));
  return { status, urls: Object.fromEntries(smartlinkPlatforms.map((name) => [name, links[name] ?? ''])) };
}

function SmartlinkView({ smartlink: first, onReload }: { smartlink: SmartlinkDetail; onReload: () => Promise<void> }) {
  const [smartlink, setSmartlink] = useState(first);
  const isEnabled = smartlink.status === 'ENABLED';
  const { Account, Library } = smartlink;
  const isOnline = isEnabled && !Library.isWithdrawn;
  return (
    <RecordPage
      header={
        <PageHeader
          title={t.editTitle(Library.title)}
          badge={<StatusBadge tone={isEnabled ? 'success' : 'warning'}>{t.status[smartlink.status]}</StatusBadge>}
          text={Library.artist}
          parent={paths.smartlinks(isEnabled ? 'enabled' : 'pending')}
          owner={Account ? { id: Account.id, name: `${Account.fname} ${Account.lname}`.trim() } : undefined}
          trail={[{ label: Library.title, to: paths.release(Library.id) }]}
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
          <Cover release={Library} size="hero" />
          <Facts
            facts={[
              { label: t.createdAt, value: <DateText ms={smartlink.createdAt} /> },
              { label: t.clicks, value: formatInteger(smartlink.clicks) },
              {
                label: t.release,
                value: (
                  <Link className={shared.link} to={paths.release(Library.id)}>
                    {Library.title}
                  </Link>
                ),
              },
            ]}
          />
        </Section>
      }
    >
      <Stack gap={16} maw={760}>
        {Library.isWithdrawn && <Notice tone="note">{t.offlineHint}</Notice>}
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
          submitLabel={fr.common.save}
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
                  <Notice tone="note">{t.noUrl}</Notice>
                )}
              <fieldset className={shared.fieldset}>
                <legend>{t.urls}</legend>
                <p className={shared.note}>{t.urlsHint}</p>
                <Box mt={12} className={shared.fields}>
                  {smartlinkPlatforms.map((platform) => (
                    <UrlField
                      key={platform}
                      label={smartlinkPlatformNames[platform]}
                      placeholder={t.urlPlaceholder}
                      {...form.getInputProps(`urls.${platform}`)}
                    />
                  ))}
                </Box>
              </fieldset>
            </>
          )}
        </Form>
      </Stack>
    </RecordPage>
  );
}
