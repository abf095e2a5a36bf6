import {
  type ContractTemplate,
  contractTemplateNames,
  contractTemplates,
  findCustomTemplateFault,
} from './custom-contracts.ts';
import { filledText, mapKeys, refuseFault, z } from './zod.ts';

export const maxContractTemplates = 20;

/** A contract's text before its fields are replaced. */
export const ContractText = filledText('Le texte du contrat est requis', 40_000).superRefine(
  refuseFault(findCustomTemplateFault),
);

/** A template's permanent key; its label may change. */
export const ContractKind = z
  .string({ error: 'Choisissez un modèle' })
  .regex(/^[a-z0-9-]{1,40}$/, { error: 'Choisissez un modèle' });

const Template = z.object({ label: filledText('Donnez un nom au modèle', 80, 2), template: ContractText });
export type ContractTemplates = Record<string, z.infer<typeof Template>>;

export const isOriginalKind = (kind: string): kind is ContractTemplate => Object.hasOwn(contractTemplates, kind);

function inOrder(templates: ContractTemplates): ContractTemplates {
  const rank = (kind: string) => (isOriginalKind(kind) ? contractTemplateNames.indexOf(kind) : Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(
    Object.entries(templates).toSorted(
      ([kind, { label }], [other, { label: otherLabel }]) =>
        rank(kind) - rank(other) || label.localeCompare(otherLabel, 'fr') || kind.localeCompare(other),
    ),
  );
}

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

export const defaultContractTemplates: ContractTemplates = mapKeys(contractTemplateNames, (kind) => {
  const { label, template } = contractTemplates[kind];
  return { label, template: template.trim() };
});
