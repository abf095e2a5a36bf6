import { Modal, Skeleton } from '@mantine/core';
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
    <div className={classes.clicks}>
      {clicks.platforms.length === 0 ? (
        <p className={shared.note}>{t.modal.none}</p>
      ) : (
        <>
          <h3 className={classes.caption}>{t.modal.byPlatform}</h3>
          <PlainTable
            name={t.modal.byPlatform}
            head={[t.modal.platform, { right: t.modal.clicks }, { hidden: t.modal.share }]}
          >
            <tbody>
              {clicks.platforms.map(({ platform, clicks: count }) => (
                <tr key={platform}>
                  <th scope="row">{smartlinkPlatformNames[platform]}</th>
                  <td data-align="right">{formatInteger(count)}</td>
                  <td aria-hidden className={classes.barCell}>
                    <svg aria-hidden className={classes.bar} viewBox="0 0 100 8" preserveAspectRatio="none">
                      <rect width={((count / most) * 100).toFixed(1)} height="8" />
                    </svg>
                  </td>
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
          <h3 className={classes.caption}>{t.modal.byDay}</h3>
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
      <p className={classes.privacy}>{t.modal.privacy}</p>
    </div>
  );
}
