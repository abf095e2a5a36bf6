import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { capabilities } from '@regie/contract/capabilities.ts';
import type { Admin } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { formatDateTime } from '@regie/values/formats.ts';
import {
  IconFileZip,
  IconMail,
  IconPencil,
  IconPlus,
  IconShieldOff,
  IconTrash,
  IconWritingSign,
  IconWritingSignOff,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { frScreens } from '#src/app/screens.fr.ts';
import { exportPersonalData } from '#src/domain/privacy/export-personal-data.ts';
import { signInMethodsQuery } from '#src/domain/sign-in/identity-provider.ts';
import { SigningPanel } from '#src/domain/signing/record-signing.tsx';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { type DialogState, useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan, useSignedIn } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { AdminModal, InviteModal } from './admin-form.tsx';
import { frAdmins } from './admins.fr.ts';
import classes from './admins.module.css';
import { LeftAdmins, PendingInvitations } from './other-admins.tsx';

const labelById = new Map(capabilities.map((capability) => [capability.id, capability.label]));

const adminName = (admin: { fname: string; lname: string }): string => `${admin.fname} ${admin.lname}`;

function adminColumns(ownId: number): readonly ListColumn<Admin>[] {
  return [
    {
      key: 'name',
      header: 'Nom',
      sort: 'name',
      cell: (admin) => (
        <>
          <Box component="strong" fw={600}>
            {adminName(admin)}
          </Box>
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
  const { subject: edited = 'new', ask: edit, dialog: edition } = useAsked<Admin | 'new'>();
  const { ask: invite, dialog: invitation } = useAsked<void>();
  const { subject: deleted, ask: askDeletion, dialog: deletion } = useAsked<Admin>();
  const { subject: proposed, ask: propose, dialog: proposal } = useAsked<Admin>();
  const { subject: locked, ask: askLift, dialog: lift } = useAsked<Admin>();

  return (
    <>
      <ListPage
        title={frScreens.admins}
        route={routes.listAdmins}
        rows={(data) => data.admins}
        columns={adminColumns(user.id)}
        rowName={adminName}
        onRowOpen={can('edit_admins') ? (admin) => edit(admin) : undefined}
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
                  leftSection={buttonIcon(IconMail)}
                  onClick={() => invite()}
                >
                  {frAdmins.invite}
                </Button>
              )}
              <Button variant="default" leftSection={buttonIcon(IconPlus)} onClick={() => edit('new')}>
                {frAdmins.add}
              </Button>
            </>
          )
        }
        rowActions={(admin) => (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            {can('edit_admins') && (
              <>
                <RowAction
                  label={(admin.isSignatory ? frAdmins.removeSignatory : frAdmins.addSignatory)(adminName(admin))}
                  icon={admin.isSignatory ? IconWritingSignOff : IconWritingSign}
                  onClick={() => propose(admin)}
                />
                <RowAction
                  label={`${fr.common.edit} ${adminName(admin)}`}
                  refusal={!admin.canEdit && frAdmins.cannotEdit}
                  icon={IconPencil}
                  onClick={() => edit(admin)}
                />
              </>
            )}
            {can('edit_admins') && admin.hasFactor && admin.canEdit && admin.id !== user.id && (
              <RowAction
                label={frAdmins.lift.action(adminName(admin))}
                icon={IconShieldOff}
                onClick={() => askLift(admin)}
              />
            )}
            {admin.canEdit && (
              <RowAction
                label={frAdmins.exportData(adminName(admin))}
                icon={IconFileZip}
                onClick={() => void exportPersonalData(routes.exportAdmin, admin.id, adminName(admin))}
              />
            )}
            {can('delete_admins') && (
              <RowAction
                label={`${fr.common.remove} ${adminName(admin)}`}
                refusal={
                  !admin.canDelete ? frAdmins.cannotDelete : admin.isSignatory && signatureMessages.deleteSignatory
                }
                icon={IconTrash}
                onClick={() => askDeletion(admin)}
              />
            )}
          </Group>
        )}
      />
      <PendingInvitations />
      <LeftAdmins />
      <AdminModal admin={edited} {...edition} />
      <InviteModal {...invitation} />
      {locked && (
        <FactorLiftModal
          {...lift}
          admin={locked}
          onRefused={async () => askLift((await readAdmin(locked.id)) ?? locked)}
        />
      )}
      {proposed && (
        <ConfirmModal
          {...proposal}
          name={`${adminName(proposed)} (${proposed.email})`}
          consequence={frAdmins.signatoryConsequence[proposed.isSignatory ? 'remove' : 'add']}
          verb={frAdmins.proposeVerb}
          isSafe
          onConfirm={() => {
            const route = proposed.isSignatory ? routes.removeSignatory : routes.addSignatory;
            return api(route, { params: { id: proposed.id } });
          }}
        />
      )}
      {deleted && (
        <ConfirmModal
          {...deletion}
          name={`${adminName(deleted)} (${deleted.email})`}
          consequence={frAdmins.deleteConsequence}
          verb={frAdmins.deleteVerb}
          onConfirm={() => api(routes.deleteAdmin, { params: { id: deleted.id } })}
        />
      )}
    </>
  );
}

/** Who signs alone, and what waits for signatures about admins (product §22.8). */
function Signatories() {
  const { data } = useQuery(apiQuery(['signatures'], routes.listSignables));
  const waiting = data?.items.filter(({ entry }) => entry?.entity === 'admin') ?? [];
  const can = useCan();
  const note = data && [signatureMessages.none(can('edit_admins')), frAdmins.onlySignatory][data.signatories];
  if (note === undefined && waiting.length === 0) return null;
  return (
    <Stack gap="sm" mb="md">
      {note && <Notice tone="note">{note}</Notice>}
      {waiting.map((item) => (
        <SigningPanel key={item.id} item={item} />
      ))}
    </Stack>
  );
}

interface RowActionProps {
  label: string;
  refusal?: string | false;
  icon: typeof IconTrash;
  onClick: () => void;
}

function RowAction({ label, refusal = false, icon, onClick }: RowActionProps) {
  return (
    <IconButton
      icon={icon}
      label={refusal || label}
      aria-disabled={refusal !== false || undefined}
      className={classes.action}
      onClick={() => !refusal && onClick()}
    />
  );
}

interface FactorLiftModalProps extends DialogState {
  admin: Admin;
  /** Reloads the admin: the next click confirms the shown state. */
  onRefused: () => Promise<void>;
}

function FactorLiftModal({ admin, isOpen, onClose, onRefused }: FactorLiftModalProps) {
  const { act, isBusy, failure, setFailure } = useAct();
  const close = () => {
    setFailure(undefined);
    onClose();
  };
  const run = (route: typeof routes.askFactorLift | typeof routes.cancelFactorLift) =>
    act(async () => {
      try {
        const answer = await api(route, { params: { id: admin.id } });
        close();
        return answer;
      } catch (error) {
        await onRefused();
        throw error;
      }
    });
  const lift = admin.factorLift;
  return (
    <Dialog isOpen={isOpen} onClose={close} title={frAdmins.lift.title(`${admin.fname} ${admin.lname}`)}>
      <Stack gap="md">
        {admin.hasFactor && <Message tone="error" text={failure} onDismiss={setFailure} />}
        <Text>
          {!admin.hasFactor
            ? frAdmins.lift.gone
            : lift
              ? frAdmins.lift.asked(lift.askedBy, formatDateTime(lift.dueAt))
              : frAdmins.lift.text(admin.isSignatory)}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            {fr.common.close}
          </Button>
          {lift && (
            <Button variant="default" loading={isBusy} onClick={() => run(routes.cancelFactorLift)}>
              {frAdmins.lift.giveUp}
            </Button>
          )}
          {!lift && admin.hasFactor && (
            <Button color="red.8" loading={isBusy} onClick={() => run(routes.askFactorLift)}>
              {frAdmins.lift.ask}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
