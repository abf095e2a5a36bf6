import type { Release } from '@regie/contract/routes/releases.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage } from '#src/ui/record-page.tsx';
import { NotFound, RightGate } from '#src/ui/states.tsx';
import { DeliveryFields } from './new-release-plan.tsx';
import { releaseHead, releaseTabs } from './release-frame.tsx';
import { quoteQuery, releaseQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.delivery;

export default function DeliveryPage() {
  const id = useIdParam();
  return id === undefined ? <NotFound /> : <DeliveryLoader key={id} id={id} />;
}

function DeliveryLoader({ id }: { id: number }) {
  const navigate = useNavigate();
  const query = useQuery(releaseQuery(id));
  const quote = useQuery(quoteQuery(id));
  const search: Record<string, unknown> = useSearch({ strict: false });
  const isDelivering = (release: Release) => search.statut === 'DELIVRED' && release.status === 'PAID';
  return (
    <Loaded query={query}>
      {(release) => (
        <RightGate isAllowed={release.canEdit}>
          <RecordPage
            header={<PageHeader {...releaseHead(release, frScreens.releases.delivery)} />}
            tabs={releaseTabs(release, query.dataUpdatedAt)}
          >
            <Loaded query={quote}>
              {(quote) => (
                <DeliveryFields
                  release={release}
                  quote={quote}
                  hasStatus
                  isDelivering={isDelivering(release)}
                  submitLabel={isDelivering(release) ? t.deliver : quote.order ? fr.common.save : t.createOrder}
                  onSaved={(message) => {
                    flashSuccess(message, { afterNavigation: true });
                    void navigate({ to: paths.release(id) });
                  }}
                  secondary={
                    <LinkButton to={paths.release(id)} variant="default">
                      {fr.common.cancel}
                    </LinkButton>
                  }
                />
              )}
            </Loaded>
          </RecordPage>
        </RightGate>
      )}
    </Loaded>
  );
}
