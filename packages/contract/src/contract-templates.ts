import {
  type ContractTemplate,
  contractTemplateNames,
  contractTemplates,
  findCustomTemplateFault,
} from './custom-contracts.ts';
import { messages } from './messages.ts';
import { z } from './zod.ts';

const maxTemplate = 40_000;
const maxLabel = 80;
export const maxContractTemplates = 20;

/** A contract's text before its fields are replaced. */
export const ContractText = z
  .string({ error: 'Le texte du contrat est requis' })
  .trim()
  .min(1, { error: 'Le texte du contrat est requis' })
  .max(maxTemplate, { error: messages.maxLength(maxTemplate) })
  .superRefine((template, context) => {
    const fault = findCustomTemplateFault(template);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

/** A template's permanent key; its label may change. */
export const ContractKind = z
  .string({ error: 'Choisissez un modèle' })
  .regex(/^[a-z0-9-]{1,40}$/, { error: 'Choisissez un modèle' });

const Template = z.object({
  label: z
    .string()
    .trim()
    .min(2, { error: 'Donnez un nom au modèle' })
    .max(maxLabel, { error: messages.maxLength(maxLabel) }),
  template: ContractText,
});
export type ContractTemplates = Record<string, z.infer<typeof Template>>;

export const isOriginalKind = (kind: string): kind is ContractTemplate => Object.hasOwn(contractTemplates, kind);

/** The default templates first, then custom ones by name. */
function inOrder(templates: ContractTemplates): ContractTemplates {
  const rank = (kind: string) => (isOriginalKind(kind) ? contractTemplateNames.indexOf(kind) : Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(
    Object.entries(templates).toSorted(
      ([kind, { label }], [other, { label: otherLabel }]) =>
        rank(kind) - rank(other) || label.localeCompare(otherLabel, 'fr') || kind.localeCompare(other),
    ),
  );
}

/** The templates for contracts with one account, by kind: the default ones and those added in settings. */
export const ContractTemplates = z
  .record(ContractKind, Template)
  .superRefine((templates, context) => {
    const kinds = Object.keys(templates);
    if (kinds.length > maxContractTemplates) {
      context.addIssue({ code: 'custom', message: `Il y a au plus ${maxContractTemplates} modèles de contrat` });
    }
    for (const kind of contractTemplateNames) {
      if (templates[kind]) continue;
      const message = `Le modèle «\u00a0${contractTemplates[kind].label}\u00a0» ne peut pas être retiré`;
      context.addIssue({ code: 'custom', path: [kind], message });
    }
    const nameOf = (kind: string) => templates[kind]?.label.toLocaleLowerCase('fr');
    for (const kind of kinds) {
      if (kinds.every((other) => other === kind || nameOf(other) !== nameOf(kind))) continue;
      context.addIssue({ code: 'custom', path: [kind, 'label'], message: 'Un autre modèle porte déjà ce nom' });
    }
  })
  .transform(inOrder);

export const defaultContractTemplates: ContractTemplates = Object.fromEntries(
  contractTemplateNames.map((kind) => {
    const { label, template } = contractTemplates[kind];
    return [kind, { label, template: template.trim() }];
  }),
);
