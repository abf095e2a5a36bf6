import { ContractKind, ContractText } from '#src/contract-templates.ts';
import {
  type AskedContractField,
  askedContractFields,
  askedFieldNames,
  findFieldFault,
} from '#src/custom-contracts.ts';
import { AccountRef, defineRoute, Id, Instant, listQuery, QueryId } from '#src/route.ts';
import { filledText, mapKeys, refuseFault, z } from '#src/zod.ts';

const field = (name: AskedContractField) => {
  const max = askedContractFields[name].kind === 'long' ? 5000 : 300;
  return z
    .string()
    .trim()
    .max(max)
    .default('')
    .superRefine(refuseFault((text) => findFieldFault(name, text)));
};

export const CustomContractForm = z.object({
  userId: z.number({ error: 'Choisissez un compte' }).pipe(Id),
  kind: ContractKind,
  title: filledText('Donnez un nom au contrat', 200, 2),
  template: ContractText,
  /** As typed; fields that the text does not name are dropped. */
  fields: z.object(mapKeys(askedFieldNames, field)),
});
export type CustomContractForm = z.infer<typeof CustomContractForm>;

export const ContractTemplateItem = z.object({ kind: ContractKind, label: z.string(), template: z.string() });
export type ContractTemplateItem = z.infer<typeof ContractTemplateItem>;

export const CustomContract = z.object({
  id: Id,
  kind: z.string(),
  title: z.string(),
  Account: AccountRef,
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
  createCustomContract: defineRoute('POST /contracts/create', ['edit_tools'], {
    body: CustomContractForm,
    response: CustomContractDocument,
    message: 'Le contrat est enregistré',
  }),
  listContractTemplates: defineRoute('GET /contracts/templates', ['edit_tools'], {
    response: z.array(ContractTemplateItem),
  }),
  getContractValues: defineRoute('GET /contracts/values', ['edit_tools'], {
    summary: 'The values that a contract for this account would take from the records today.',
    query: z.object({ userId: QueryId.optional() }),
    response: z.record(z.string(), z.string()),
  }),
  listCustomContracts: defineRoute('GET /contracts', ['edit_tools', 'manage_profiles'], {
    query: listQuery(['id'], 'desc', { userId: QueryId.optional() }),
    response: z.array(CustomContract),
  }),
  getCustomContract: defineRoute('GET /contracts/:id', ['edit_tools', 'manage_profiles'], {
    response: CustomContractDocument,
  }),
  deleteCustomContract: defineRoute('DELETE /contracts/:id', ['edit_tools'], {
    response: z.object({ id: Id }),
    message: 'Le contrat est retiré',
  }),
};
