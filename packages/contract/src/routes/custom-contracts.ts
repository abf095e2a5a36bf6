import { ContractKind, ContractText } from '#src/contract-templates.ts';
import { askedContractFields, type askedFieldNames, findFieldFault } from '#src/custom-contracts.ts';
import { messages } from '#src/messages.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { z } from '#src/zod.ts';

const maxField = 300;
const maxLongField = 5000;

const field = (name: (typeof askedFieldNames)[number]) => {
  const max = askedContractFields[name].kind === 'long' ? maxLongField : maxField;
  return z
    .string()
    .trim()
    .max(max, { error: messages.maxLength(max) })
    .default('')
    .superRefine((text, context) => {
      const fault = findFieldFault(name, text);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    });
};

export const CustomContractForm = z.object({
  userId: z.number({ error: 'Choisissez un compte' }).pipe(Id),
  kind: ContractKind,
  title: z
    .string({ error: 'Donnez un nom au contrat' })
    .trim()
    .min(2, { error: 'Donnez un nom au contrat' })
    .max(200, { error: messages.maxLength(200) }),
  /** The text before its fields are replaced. */
  template: ContractText,
  /** As typed; fields that the text does not name are dropped. */
  fields: z.object({
    objet: field('objet'),
    date_effet: field('date_effet'),
    duree: field('duree'),
    preavis: field('preavis'),
    territoires: field('territoires'),
    part: field('part'),
    part_video: field('part_video'),
    montant: field('montant'),
    lieu: field('lieu'),
    details: field('details'),
  }),
});
export type CustomContractForm = z.infer<typeof CustomContractForm>;

export const ContractTemplateItem = z.object({ kind: ContractKind, label: z.string(), template: z.string() });
export type ContractTemplateItem = z.infer<typeof ContractTemplateItem>;

export const CustomContract = z.object({
  id: Id,
  kind: z.string(),
  title: z.string(),
  Account: z.object({ id: Id, fname: z.string(), lname: z.string() }),
  createdAt: Instant,
  /** Null for the system or a deleted admin. */
  createdBy: z.string().nullable(),
});
export type CustomContract = z.infer<typeof CustomContract>;

/** With its text and the values of its fields when it was created: the document uses nothing else. */
export const CustomContractDocument = CustomContract.extend({
  template: z.string(),
  values: z.record(z.string(), z.string()),
});
export type CustomContractDocument = z.infer<typeof CustomContractDocument>;

export const customContractRoutes = {
  createCustomContract: defineRoute('POST /contracts/create', {
    capability: ['edit_tools'],
    summary: 'Write a contract for an account and keep it with that account.',
    body: CustomContractForm,
    response: CustomContractDocument,
    message: 'Le contrat est enregistré',
  }),
  listContractTemplates: defineRoute('GET /contracts/templates', {
    capability: ['edit_tools'],
    summary: 'The contract templates of the settings.',
    response: z.array(ContractTemplateItem),
  }),
  getContractValues: defineRoute('GET /contracts/values', {
    capability: ['edit_tools'],
    summary: 'The values that a contract for this account would take from the records today.',
    query: z.object({ userId: z.coerce.number().pipe(Id).optional() }),
    response: z.record(z.string(), z.string()),
  }),
  listCustomContracts: defineRoute('GET /contracts', {
    capability: ['edit_tools', 'manage_profiles'],
    summary: 'Contracts written for accounts, newest first.',
    query: listQuery(['id'], 'desc', { userId: z.coerce.number().pipe(Id).optional() }),
    response: z.array(CustomContract),
  }),
  getCustomContract: defineRoute('GET /contracts/:id', {
    capability: ['edit_tools', 'manage_profiles'],
    summary: 'A contract with all that its document says.',
    response: CustomContractDocument,
  }),
  deleteCustomContract: defineRoute('DELETE /contracts/:id', {
    capability: ['edit_tools'],
    summary: 'Take a contract out of its account; the journal keeps it.',
    response: z.object({ id: Id }),
    message: 'Le contrat est retiré',
  }),
};
