import { formatMoney, nbsp } from '@regie/values/formats.ts';
import { findPlaceholderFault, partyPlaceholders } from '#src/licence-contract.ts';
import { messages } from '#src/messages.ts';
import { findDay } from '#src/routes/releases.ts';

/** Contracts written for one account (product §22.13), in the language of the licence contract. */

export const knownContractFields = { ...partyPlaceholders, date: 'Date du contrat' } as const;
export type KnownContractField = keyof typeof knownContractFields;

export type ContractFieldKind = 'text' | 'long' | 'day' | 'percent' | 'money';

/** Form fields shown when the template names them, in the form's order. */
export const askedContractFields = {
  objet: { label: 'Objet', kind: 'text' },
  date_effet: { label: 'Date d’effet', kind: 'day' },
  duree: { label: 'Durée', kind: 'text' },
  preavis: { label: 'Préavis', kind: 'text' },
  territoires: { label: 'Territoires', kind: 'text' },
  part: { label: 'Part du client sur les plateformes', kind: 'percent' },
  part_video: { label: 'Part du client sur les plateformes vidéo', kind: 'percent' },
  montant: { label: 'Montant', kind: 'money' },
  lieu: { label: 'Lieu de signature', kind: 'text' },
  details: { label: 'Clauses particulières', kind: 'long' },
} as const satisfies Record<string, { label: string; kind: ContractFieldKind }>;
export type AskedContractField = keyof typeof askedContractFields;
export const askedFieldNames = Object.keys(askedContractFields) as AskedContractField[];

/** The form fields that a template names. */
export const askedFieldsOf = (template: string): AskedContractField[] =>
  askedFieldNames.filter((name) => template.includes(`{${name}}`));

export const findCustomTemplateFault = (template: string): string | undefined =>
  findPlaceholderFault(template, { ...knownContractFields, ...askedContractFields }, { signatures: true });

const decimal = /^\d{1,9}(?:[.,]\d{1,2})?$/;
const isDay = (text: string) => /^\d{2}\/\d{2}\/\d{4}$/.test(text) && findDay(text) !== undefined;

/** The error in a field's value; an empty field is left blank on paper. */
export function findFieldFault(name: AskedContractField, text: string): string | undefined {
  if (text === '') return undefined;
  const { kind } = askedContractFields[name];
  if (kind === 'day') return isDay(text) ? undefined : messages.invalidDate;
  if (kind === 'percent')
    return decimal.test(text) && Number(text.replace(',', '.')) <= 100
      ? undefined
      : 'Indiquez un pourcentage de 0 à 100, avec deux décimales au plus';
  if (kind === 'money')
    return decimal.test(text) ? undefined : 'Indiquez un montant en euros, avec deux décimales au plus';
  return undefined;
}

/** A field as the document prints it: `80 %`, `1 234,50 €`. */
export function printField(name: AskedContractField, text: string): string {
  if (text === '') return '';
  const { kind } = askedContractFields[name];
  if (kind === 'percent') return `${text.replace('.', ',')}${nbsp}%`;
  return kind === 'money' ? formatMoney(Number(text.replace(',', '.')), 'EUR') : text;
}

const parties = `## Entre les soussignés

{maison}, {maison_adresse}, immatriculée sous le numéro SIREN {maison_siren}, joignable à l’adresse {maison_email}, ci-après «${nbsp}le Distributeur${nbsp}»,

et

{client}, {client_adresse}, joignable à l’adresse {client_email}, ci-après «${nbsp}le Producteur${nbsp}»,

il a été convenu ce qui suit.`;

const ending = `Fait en deux exemplaires à {lieu}, le {date}.

{signatures}
`;

/** The defaults of the setting `contractTemplates`; each contract edits its own copy. */
export const contractTemplates = {
  distribution: {
    label: 'Contrat de distribution',
    template: `# Contrat de distribution

${parties}

## Article 1. Objet

Le Producteur confie au Distributeur, à titre exclusif, la distribution numérique de ses enregistrements, présents et à venir${nbsp}: {objet}. Chaque sortie fait l’objet d’un contrat de licence qui en donne la liste.

## Article 2. Territoires et durée

La distribution vaut pour {territoires}, à compter du {date_effet} et pour {duree}. Elle se renouvelle ensuite par périodes d’un an, sauf dénonciation par lettre recommandée avec accusé de réception, avec un préavis de {preavis}.

## Article 3. Rémunération

Le Distributeur reverse au Producteur, sur les sommes encaissées hors taxes${nbsp}:

- {part} des revenus des plateformes de téléchargement et d’écoute${nbsp};
- {part_video} des revenus des plateformes vidéo.

## Article 4. Garanties

Le Producteur garantit qu’il dispose de tous les droits nécessaires, notamment ceux des artistes interprètes, et garantit le Distributeur contre toute réclamation à ce titre.

## Article 5. Clauses particulières

{details}

## Article 6. Droit applicable

Le présent contrat est soumis au droit français. À défaut d’accord amiable, les tribunaux du siège du Distributeur sont compétents.

${ending}`,
  },
  avance: {
    label: 'Contrat d’avance',
    template: `# Contrat d’avance sur redevances

${parties}

## Article 1. Avance

Le Distributeur verse au Producteur, à la date du {date_effet}, une avance de {montant}, récupérable sur les revenus suivants${nbsp}: {objet}.

## Article 2. Récupération

L’avance se récupère sur la part revenant au Producteur, soit {part} des revenus des plateformes et {part_video} de ceux des plateformes vidéo, jusqu’à son entier remboursement. Elle ne porte pas intérêt et n’est pas remboursable autrement.

## Article 3. Durée

Le présent contrat court pour {duree}, et en tout cas jusqu’à la récupération de l’avance.

## Article 4. Clauses particulières

{details}

${ending}`,
  },
  avenant: {
    label: 'Avenant',
    template: `# Avenant

${parties}

## Article 1. Objet

Le présent avenant modifie, à compter du {date_effet}, les contrats en vigueur entre les parties${nbsp}: {objet}.

## Article 2. Rémunération

La part du Producteur est désormais de {part} des revenus des plateformes de téléchargement et d’écoute, et de {part_video} des revenus des plateformes vidéo.

## Article 3. Autres modifications

{details}

Les autres clauses restent inchangées.

${ending}`,
  },
  resiliation: {
    label: 'Accord de résiliation',
    template: `# Accord de résiliation

${parties}

## Article 1. Résiliation

Les parties mettent fin d’un commun accord, à la date du {date_effet}, aux contrats suivants${nbsp}: {objet}.

## Article 2. Retrait

Le Distributeur retire les enregistrements des plateformes dans un délai de {preavis}.

## Article 3. Comptes

Les revenus antérieurs au retrait, y compris ceux que les plateformes déclarent plus tard, restent dus au Producteur. Solde convenu à ce jour${nbsp}: {montant}.

## Article 4. Clauses particulières

{details}

${ending}`,
  },
  libre: {
    label: 'Contrat libre',
    template: `# Contrat

${parties}

## Article 1. Objet

{objet}

## Article 2. Clauses

{details}

${ending}`,
  },
} as const;
export type ContractTemplate = keyof typeof contractTemplates;
export const contractTemplateNames = Object.keys(contractTemplates) as ContractTemplate[];
