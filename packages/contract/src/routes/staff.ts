import { AuditAction, AuditEntity } from '#src/audit.ts';
import { Capability, CapabilitySectionName } from '#src/capabilities.ts';
import { messages } from '#src/messages.ts';
import { defineRoute, Id, Instant, listQuery, QueryId } from '#src/route.ts';
import { Email, NewPassword, StaffName } from '#src/routes/auth.ts';
import { z } from '#src/zod.ts';

/** Capability ids, each once (product §23.6). */
const CapabilityIds = z
  .array(Id)
  .max(100)
  .transform((ids) => [...new Set(ids)]);

export const AdminForm = z.object({
  fname: StaffName,
  lname: StaffName,
  email: Email,
  password: NewPassword,
  capabilities: CapabilityIds,
});
/** Edit form: an empty password or null keeps the current one (product §35.4). */
export const AdminEditForm = AdminForm.extend({
  password: z
    .union([z.literal(['', null]).transform(() => undefined), NewPassword], { error: messages.passwordTooShort })
    .optional(),
  /** To change one's own e-mail or password; may be omitted within ten minutes of signing in or using a second factor. */
  presentPassword: z.string().max(128).optional(),
});
export const InvitationForm = z.object({ email: Email, capabilities: CapabilityIds });

export const Admin = z.object({
  id: Id,
  fname: z.string(),
  lname: z.string(),
  email: z.string(),
  capabilities: z.array(Id),
  createdAt: Instant,
  lastSeenAt: Instant.nullable(),
  /** Whether the caller may change this admin (product §35.3); the server checks again. */
  canEdit: z.boolean(),
  canDelete: z.boolean(),
  isSignatory: z.boolean(),
  hasFactor: z.boolean(),
  /** The identity provider that signs them in and whose roles give their capabilities. */
  provider: z.string().nullable(),
  /** A colleague's request to lift their second factor; two signatures lift it at once. */
  factorLift: z.object({ askedBy: z.string(), dueAt: Instant }).nullable(),
});
export type Admin = z.infer<typeof Admin>;

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  capabilities: z.array(Id),
  expiresAt: Instant,
  invitedBy: z.string(),
  /** The mail server refused the invitation e-mail; it is retried. */
  isUndelivered: z.boolean(),
});
export type Invitation = z.infer<typeof Invitation>;

export const staffRoutes = {
  listAdmins: defineRoute('GET /manage-admins', ['read_admins', 'edit_admins', 'delete_admins'], {
    query: listQuery(['name', 'email', 'id'], 'asc', { kind: z.enum(['admins', 'capabilities']).default('admins') }),
    response: z.object({
      admins: z.array(Admin),
      capabilities: z.array(
        z.object({
          id: Id,
          name: Capability,
          label: z.string(),
          section: CapabilitySectionName,
          grantable: z.boolean(),
        }),
      ),
      invitations: z.array(Invitation),
    }),
  }),
  createAdmin: defineRoute('POST /manage-admins/admin', ['edit_admins'], {
    stepUp: true,
    summary: 'Only capabilities the caller holds can be granted.',
    body: AdminForm,
    response: z.object({ id: Id }),
    message: 'L’administrateur est ajouté',
  }),
  editAdmin: defineRoute('PUT /manage-admins/admin/:id', ['edit_admins'], {
    stepUp: true,
    summary: 'A new password ends their sessions.',
    body: AdminEditForm,
    response: z.object({ id: Id }),
    message: 'L’administrateur est modifié',
  }),
  addSignatory: defineRoute('POST /manage-admins/admin/:id/signatory', ['edit_admins'], {
    stepUp: true,
    summary: 'Two signatures add them.',
    response: z.object({ isDone: z.boolean() }),
    message: 'La proposition est enregistrée',
  }),
  removeSignatory: defineRoute('DELETE /manage-admins/admin/:id/signatory', ['edit_admins'], {
    stepUp: true,
    summary: 'Two signatures remove them. From two to one only on the server.',
    response: z.object({ isDone: z.boolean() }),
    message: 'La proposition est enregistrée',
  }),
  deleteAdmin: defineRoute('DELETE /manage-admins/admin/:id', ['delete_admins'], {
    stepUp: true,
    message: 'L’administrateur est supprimé',
  }),
  askFactorLift: defineRoute('POST /manage-admins/admin/:id/factor-lift', ['edit_admins'], {
    stepUp: true,
    summary: 'After 24 hours, or with two signatures; a signatory’s with signatures only.',
    /** Null: it waits for signatures. */
    response: z.object({ dueAt: Instant.nullable() }),
    message: 'La levée du second facteur est demandée',
  }),
  cancelFactorLift: defineRoute('DELETE /manage-admins/admin/:id/factor-lift', ['edit_admins'], {
    message: 'La levée du second facteur est abandonnée',
  }),
  inviteAdmin: defineRoute('POST /manage-admins/invite', ['edit_admins'], {
    stepUp: true,
    summary: 'For seven days.',
    body: InvitationForm,
    response: z.object({ id: Id }),
    message: 'L’invitation est envoyée',
  }),
  cancelInvitation: defineRoute('DELETE /manage-admins/invite/:id', ['edit_admins'], {
    message: 'L’invitation est retirée',
  }),
};

/** A record that an entry is about or refers to by number. */
export const JournalRecord = z.object({
  kind: AuditEntity,
  id: z.string(),
  /** Its current name, or its name when deleted; null when the number is the name. */
  name: z.string().nullable(),
  /** It has no page any more. */
  isGone: z.boolean(),
  /** The record whose page shows it: the release of a track, the account of a contract. */
  ownerId: Id.nullable(),
  /** Which page or list of its kind shows it: `bank`, `OPENED`. */
  place: z.string().nullable(),
});
export type JournalRecord = z.infer<typeof JournalRecord>;

export const JournalEntry = z.object({
  id: Id,
  at: Instant,
  /** Null when the system itself acted. */
  admin: z.object({ id: Id, name: z.string() }).nullable(),
  action: AuditAction,
  entity: AuditEntity,
  entityId: z.string().nullable(),
  /** The entry's record and those its fields refer to, where stored. */
  records: z.array(JournalRecord),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  requestId: z.string().nullable(),
  /** The IP address; null for jobs. */
  address: z.string().nullable(),
  agent: z.string().nullable(),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

export const journalRoutes = {
  listJournal: defineRoute('GET /journal', ['read_audit'], {
    query: listQuery(['at'], 'desc', {
      action: z.string().max(60).optional(),
      entity: z.string().max(60).optional(),
      entityId: z.string().max(60).optional(),
      /** Acts on this account and on what belongs to it: its payouts, payment details, releases, contracts, tickets … */
      account: QueryId.optional(),
      admin: QueryId.optional(),
      from: z.coerce.number().optional(),
      to: z.coerce.number().optional(),
      mark: z.enum(['alerts']).optional(),
      /** Includes sign-ins and sign-outs; by default only when the action filter names them. */
      signIns: z.enum(['with', 'only']).optional(),
    }),
    response: z.array(JournalEntry),
  }),
};
