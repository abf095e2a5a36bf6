import { Box, Modal, Skeleton, Stack } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import type { SmartlinkClicks, SmartlinkRow } from '@regie/contract/routes/smartlinks.ts';
import { smartlinkPlatformNames } from '@regie/contract/smartlinks.ts';
import { useQuery } from '@tanstack/react-query';
import { formatInteger, nbsp } from '#src/lib/formats.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { clicksQuery } from './services.api.ts';
import { frServices } from './services.fr.ts';
import classes from './services.module.css';

const t = frServices.smartlinks;

interface SmartlinkClicksModalProps {
  smartlink: SmartlinkRow;
  isOpen: boolean;
  onClose: () => void;
}

/** The clicks on each platform, in total and by day. */
export function SmartlinkClicksModal({ smartlink, isOpen, onClose }: SmartlinkClicksModalProps) {
  // A dialog records the focused element when it opens; a dialog mounted open would not restore it.
  const isMounted = useMounted();
  return (
    <Modal opened={isMounted && isOpen} onClose={onClose} title={t.clicksOf(smartlink.Library.title)} size="lg">
      <Clicks id={smartlink.id} />
    </Modal>
  );
}

function Clicks({ id }: { id: number }) {
  const clicks = useQuery({ ...clicksQuery(id), staleTime: 0 });
  return (
    <Loaded query={clicks} placeholder={<Skeleton h={160} />}>
      {(data) => <ClickTables clicks={data} />}
    </Loaded>
  );
}

function ClickTables({ clicks }: { clicks: SmartlinkClicks }) {
  const most = Math.max(1, ...clicks.platforms.map((one) => one.clicks));
  return (
    <Stack gap={20}>
      {clicks.platforms.length === 0 ? (
        <p className={shared.note}>{t.modal.none}</p>
      ) : (
        <>
          <Box component="h3" mb={-12} fz={14} fw={620}>
            {t.modal.byPlatform}
          </Box>
          <PlainTable
            name={t.modal.byPlatform}
            head={[t.modal.platform, { right: t.modal.clicks }, { hidden: t.modal.share }]}
          >
            <tbody>
              {clicks.platforms.map(({ platform, clicks: count }) => (
                <tr key={platform}>
                  <th scope="row">{smartlinkPlatformNames[platform]}</th>
                  <td data-align="right">{formatInteger(count)}</td>
                  <Box aria-hidden component="td" w="45%">
                    <svg aria-hidden className={classes.bar} viewBox="0 0 100 8" preserveAspectRatio="none">
                      <rect width={((count / most) * 100).toFixed(1)} height="8" />
                    </svg>
                  </Box>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{t.modal.total}</th>
                <td data-align="right">{formatInteger(clicks.total)}</td>
                <td aria-hidden />
              </tr>
            </tfoot>
          </PlainTable>
          <Box component="h3" mb={-12} fz={14} fw={620}>
            {t.modal.byDay}
          </Box>
          <PlainTable
            name={t.modal.byDay}
            head={[t.modal.day, { right: t.modal.clicks }, t.modal.byPlatform]}
            isBoxed
            maxHeight={300}
          >
            <tbody>
              {clicks.days.map(({ day, platforms }) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  <td data-align="right">{formatInteger(platforms.reduce((sum, one) => sum + one.clicks, 0))}</td>
                  <td>
                    {platforms
                      .map((one) => `${smartlinkPlatformNames[one.platform]}${nbsp}${formatInteger(one.clicks)}`)
                      .join(', ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </PlainTable>
        </>
      )}
      <Box component="p" fz={12} className={shared.muted}>
        {t.modal.privacy}
      </Box>
    </Stack>
  );
}
