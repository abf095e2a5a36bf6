import { ActionIcon, Button, Group, Stack, Tooltip } from '@mantine/core';
import { capabilities } from '@regie/contract/capabilities.ts';
import type { Admin } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import {
  IconFileZip,
  IconMail,
  IconPencil,
  IconPlus,
  IconShieldOff,
  IconTrash,
  IconWritingSign,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { exportPersonalData } from '#src/domain/privacy/export-personal-data.ts';
import { signInMethodsQuery } from '#src/domain/sign-in/identity-provider.ts';
import { SigningPanel } from '#src/domain/signing/record-signing.tsx';
import { api, apiQuery } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan, useSignedIn } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { AdminModal, InviteModal } from './admin-form.tsx';
import { frAdmins } from './admins.fr.ts';
import classes from './admins.module.css';
import { FactorLiftModal } from './factor-lift-modal.tsx';
import { LeftAdmins } from './left-admins.tsx';
import { PendingInvitations } from './pending-invitations.tsx';

const labelById = new Map(capabilities.map((capability) => [capability.id, capability.label]));

function adminName(admin: { fname: string; lname: string }): string {
  return `${admin.fname} ${admin.lname}`;
}

function adminColumns(ownId: number): readonly ListColumn<Admin>[] {
  return [
    {
      key: 'name',
      header: 'Nom',
      sort: 'name',
      cell: (admin) => (
        <>
          <strong className={classes.name}>{adminName(admin)}</strong>
          {admin.id === ownId && <span className={shared.muted}> ({frAdmins.you})</span>}{' '}
          {admin.isSignatory && <StatusBadge tone="info">{frAdmins.signatory}</StatusBadge>}
        </>
      ),
      csv: adminName,
    },
    {
      key: 'email',
      header: 'E-mail',
      sort: 'email',
      isCode: true,
      cell: (admin) => <span className={classes.email}>{admin.email}</span>,
      csv: (admin) => admin.email,
    },
    {
      key: 'capabilities',
      header: frAdmins.capabilities,
      isCode: true,
      cell: (admin) =>
        admin.capabilities.length === 0
          ? frAdmins.noCapability
          : frAdmins.capabilityCount(admin.capabilities.length, capabilities.length),
      csv: (admin) => admin.capabilities.map((id) => labelById.get(id) ?? id).join(' ; '),
    },
    {
      key: 'signatory',
      header: frAdmins.signatory,
      isSecondary: true,
      cell: (admin) => (admin.isSignatory ? fr.common.yes : fr.common.no),
      csv: (admin) => (admin.isSignatory ? fr.common.yes : fr.common.no),
    },
    {
      key: 'lastSeenAt',
      header: 'Dernière activité',
      isSecondary: true,
      cell: (admin) => (admin.lastSeenAt === null ? fr.common.never : <DateText ms={admin.lastSeenAt} hasTime />),
      type: 'moment',
      csv: (admin) => admin.lastSeenAt ?? fr.common.never,
    },
    dayColumn({
      key: 'createdAt',
      header: 'Ajouté le',
      isSecondary: true,
      type: 'moment',
      csv: (admin) => admin.createdAt,
    }),
  ];
}

/** The admin as currently stored; undefined when unknown. */
const readAdmin = (id: number) =>
  api(routes.listAdmins, { query: { limit: 500 } }).then(
    ({ data }) => data.admins.find((admin) => admin.id === id),
    () => undefined,
  );

export default function AdminListPage() {
  const can = useCan();
  const { user } = useSignedIn();
  // An invitation link opens the choice of a password.
  const methods = useQuery(signInMethodsQuery);
  // The last edited admin stays until replaced, so that the dialog does not change while it closes.
  const [edited, setEdited] = useState<Admin | 'new'>('new');
  const [deleted, setDeleted] = useState<Admin>();
  const [proposed, setProposed] = useState<Admin>();
  const [dialog, setDialog] = useState<'edit' | 'invite' | 'delete' | 'signatory' | 'lift'>();
  const close = () => setDialog(undefined);
  const edit = (admin: Admin | 'new') => {
    setEdited(admin);
    setDialog('edit');
  };

  return (
    <>
      <ListPage
        id="admins"
        title={frScreens.admins}
        route={routes.listAdmins}
        rows={(data) => data.admins}
        columns={adminColumns(user.id)}
        rowKey={(admin) => admin.id}
        rowName={adminName}
        {...(can('edit_admins') ? { onRowOpen: (admin: Admin) => edit(admin) } : {})}
        searchPlaceholder={frAdmins.searchPlaceholder}
        defaultSort={{ key: 'name', order: 'asc' }}
        exportName="administrateurs"
        empty={{ title: frAdmins.emptyTitle, text: frAdmins.emptyText }}
        intro={<Signatories />}
        actions={
          can('edit_admins') && (
            <>
              {(methods.isPending || methods.data?.password) && (
                <Button
                  // Its place is kept, so that the other button does not move.
                  style={{ visibility: methods.isPending ? 'hidden' : undefined }}
                  variant="default"
                  leftSection={buttonIcon(IconMail)}
                  onClick={() => setDialog('invite')}
                >
                  {frAdmins.invite}
                </Button>
              )}
              <Button leftSection={<IconPlus size={16} stroke={2} aria-hidden />} onClick={() => edit('new')}>
                {frAdmins.add}
              </Button>
            </>
          )
        }
        rowActions={(admin) => (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            {can('edit_admins') && (
              <RowAction
                label={(admin.isSignatory ? frAdmins.removeSignatory : frAdmins.addSignatory)(adminName(admin))}
                isDisabled={false}
                onClick={() => {
                  setProposed(admin);
                  setDialog('signatory');
                }}
              >
                <IconWritingSign size={17} stroke={1.7} />
              </RowAction>
            )}
            {can('edit_admins') && (
              <RowAction
                label={admin.canEdit ? `${fr.common.edit} ${adminName(admin)}` : frAdmins.cannotEdit}
                isDisabled={!admin.canEdit}
                onClick={() => edit(admin)}
              >
                <IconPencil size={17} stroke={1.7} />
              </RowAction>
            )}
            {can('edit_admins') && admin.hasFactor && admin.canEdit && admin.id !== user.id && (
              <RowAction
                label={frAdmins.lift.action(adminName(admin))}
                isDisabled={false}
                onClick={() => {
                  setEdited(admin);
                  setDialog('lift');
                }}
              >
                <IconShieldOff size={17} stroke={1.7} />
              </RowAction>
            )}
            {admin.canEdit && (
              <RowAction
                label={frAdmins.exportData(adminName(admin))}
                isDisabled={false}
                onClick={() => void exportPersonalData(routes.exportAdmin, admin.id, adminName(admin))}
              >
                <IconFileZip size={17} stroke={1.7} />
              </RowAction>
            )}
            {can('delete_admins') && (
              <RowAction
                label={admin.canDelete ? `${fr.common.remove} ${adminName(admin)}` : frAdmins.cannotDelete}
                isDisabled={!admin.canDelete}
                onClick={() => {
                  setDeleted(admin);
                  setDialog('delete');
                }}
              >
                <IconTrash size={17} stroke={1.7} {...(admin.canDelete && { color: 'var(--negative)' })} />
              </RowAction>
            )}
          </Group>
        )}
      />
      <PendingInvitations />
      <LeftAdmins />
      <AdminModal admin={edited} isOpen={dialog === 'edit'} onClose={close} />
      {edited !== 'new' && (
        <FactorLiftModal
          admin={edited}
          isOpen={dialog === 'lift'}
          onClose={close}
          onRefused={async () => setEdited((await readAdmin(edited.id)) ?? edited)}
        />
      )}
      <InviteModal isOpen={dialog === 'invite'} onClose={close} />
      {proposed && (
        <ConfirmModal
          isOpen={dialog === 'signatory'}
          onClose={close}
          name={`${adminName(proposed)} (${proposed.email})`}
          consequence={frAdmins.signatoryConsequence[proposed.isSignatory ? 'remove' : 'add']}
          verb={frAdmins.proposeVerb}
          isSafe
          onConfirm={async () => {
            const route = proposed.isSignatory ? routes.removeSignatory : routes.addSignatory;
            const { message } = await api(route, { params: { id: proposed.id } });
            flashSuccess(message);
          }}
        />
      )}
      {deleted && (
        <ConfirmModal
          isOpen={dialog === 'delete'}
          onClose={close}
          name={`${adminName(deleted)} (${deleted.email})`}
          consequence={frAdmins.deleteConsequence}
          verb={frAdmins.deleteVerb}
          onConfirm={async () => {
            const { message } = await api(routes.deleteAdmin, { params: { id: deleted.id } });
            flashSuccess(message);
          }}
        />
      )}
    </>
  );
}

/** Who signs alone, and what waits for signatures about admins. */
function Signatories() {
  const { data } = useQuery(apiQuery(['signatures'], routes.listSignables));
  const waiting = data?.items.filter(({ entry }) => entry?.entity === 'admin') ?? [];
  const note = data && [frAdmins.noSignatory, frAdmins.onlySignatory][data.signatories];
  if (note === undefined && waiting.length === 0) return null;
  return (
    <Stack gap="sm" mb="md">
      {note && <Notice tone="info">{note}</Notice>}
      {waiting.map((item) => (
        <SigningPanel key={item.id} item={item} />
      ))}
    </Stack>
  );
}

interface RowActionProps {
  label: string;
  isDisabled: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

/** A disabled action stays visible with its reason. */
function RowAction({ label, isDisabled, onClick, children }: RowActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={34}
        aria-label={label}
        aria-disabled={isDisabled || undefined}
        className={classes.action}
        onClick={(event) => (isDisabled ? event.preventDefault() : onClick())}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
