import { Menu, Stack, Text } from '@mantine/core';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconFileZip, IconUserX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ErasureModal } from '#src/domain/privacy/erasure-modal.tsx';
import { exportPersonalData } from '#src/domain/privacy/export-personal-data.ts';
import { frPrivacy } from '#src/domain/privacy/privacy.fr.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { accountName } from './account-labels.ts';

const t = frPrivacy.account;

/** The "…" menu of an account: its personal data, after what the page adds. */
export function AccountMenu({ profile, children }: { profile: Profile; children: ReactNode }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <MoreMenu label={t.more}>
        {children}
        <Menu.Item
          leftSection={buttonIcon(IconFileZip)}
          onClick={() => void exportPersonalData(routes.exportAccount, profile.id, accountName(profile))}
        >
          {frPrivacy.export}
        </Menu.Item>
        <Menu.Item c="var(--negative)" leftSection={buttonIcon(IconUserX)} onClick={() => setIsAsking(true)}>
          {frPrivacy.erase}
        </Menu.Item>
      </MoreMenu>
      <AccountErasure profile={profile} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </>
  );
}

function AccountErasure({ profile, isOpen, onClose }: { profile: Profile; isOpen: boolean; onClose: () => void }) {
  const { id } = profile;
  const preview = useQuery({
    ...apiQuery(['profile', id, 'erasure'], routes.getErasure, { params: { id } }),
    enabled: isOpen,
  }).data;
  return (
    <ErasureModal
      isOpen={isOpen}
      onClose={onClose}
      name={accountName(profile)}
      consequence={
        <Stack gap="xs">
          <Text inherit>{t.consequence}</Text>
          {preview && (
            <>
              <Text inherit>{t.removed(preview)}</Text>
              <Text inherit>{t.kept(preview)}</Text>
            </>
          )}
        </Stack>
      }
      obstacles={preview?.obstacles ?? []}
      isLoading={!preview}
      erase={(reason, { idempotencyKey }) =>
        api(routes.eraseAccount, { params: { id }, body: { reason }, idempotencyKey })
      }
    />
  );
}
