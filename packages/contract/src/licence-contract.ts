/**
 * The language of contract templates (product §12.7): `# ` title, `## ` heading, `- ` list, an empty line between
 * paragraphs, `{name}` a value, `{titres}` and `{signatures}` blocks, each alone on its line.
 */

export const partyPlaceholders = {
  maison: 'Nom du distributeur',
  maison_adresse: 'Adresse du distributeur',
  maison_siren: 'SIREN du distributeur',
  maison_tva: 'Numéro de TVA du distributeur',
  maison_email: 'E-mail du distributeur',
  client: 'Nom du client, ou de sa société',
  client_adresse: 'Adresse du client',
  client_email: 'E-mail du client',
} as const;

/** Allowed placeholders, in the order of the settings screen. */
export const contractPlaceholders = {
  ...partyPlaceholders,
  titre: 'Titre de la sortie',
  artiste: 'Artiste de la sortie',
  label: 'Label',
  code_barres: 'Code-barres',
  date_sortie: 'Date de sortie numérique',
  proprietaire: 'Propriétaire de l’enregistrement',
  nombre_titres: 'Nombre de titres',
  territoires: 'Territoires',
  duree: 'Durée de la licence',
  part: 'Part du client sur les plateformes',
  part_maison: 'Part du distributeur sur les plateformes',
  part_video: 'Part du client sur les plateformes vidéo',
  part_video_maison: 'Part du distributeur sur les plateformes vidéo',
  date: 'Date du contrat',
} as const;
export type ContractPlaceholder = keyof typeof contractPlaceholders;

/** Whole blocks of the document: each is alone on its line, and all are required. */
export const contractBlocks = {
  titres: 'Tableau des titres avec leurs ISRC',
  signatures: 'Cadres des signatures',
} as const;
export type ContractBlock = keyof typeof contractBlocks;

export type ContractValues = Record<ContractPlaceholder, string>;

export type ContractPart =
  | { kind: 'title' | 'heading' | 'paragraph'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'block'; block: ContractBlock };

/** The error in the placeholders of a template, as a sentence; `blocks` are alone on their line. */
export function findPlaceholderFault(template: string, fields: object, blocks: object): string | undefined {
  const lines = template.split('\n').map((line) => line.trim());
  const isBlockLine = (line: string) => /^\{[^{}]*\}$/.test(line) && Object.hasOwn(blocks, line.slice(1, -1));
  for (const line of lines) {
    if (isBlockLine(line)) {
      if (lines.indexOf(line) !== lines.lastIndexOf(line)) return `${line} figure deux fois\u00a0: gardez-en un seul`;
      continue;
    }
    for (const [, name = ''] of line.matchAll(/\{([^{}]*)\}/g)) {
      if (Object.hasOwn(blocks, name)) return `{${name}} doit être seul sur sa ligne`;
      if (!Object.hasOwn(fields, name))
        return `Le champ {${name}} n’existe pas\u00a0: choisissez dans la liste des champs`;
    }
    if (/[{}]/.test(line.replaceAll(/\{[^{}]*\}/g, '')))
      return `Une accolade n’est pas fermée\u00a0: «\u00a0${line.slice(0, 60)}\u00a0»`;
  }
  return undefined;
}

export function findTemplateFault(template: string): string | undefined {
  const missing = Object.keys(contractBlocks).find((block) => !template.includes(`{${block}}`));
  return (
    findPlaceholderFault(template, contractPlaceholders, contractBlocks) ??
    (missing && `Le modèle doit contenir {${missing}}, seul sur sa ligne`)
  );
}

export function fillTemplate(template: string, values: Readonly<Record<string, string>>): ContractPart[] {
  const fill = (text: string) =>
    text.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
    );
  const parts: ContractPart[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) parts.push({ kind: 'paragraph', text: fill(paragraph.join('\n')) });
    paragraph = [];
  };
  for (const raw of template.split('\n')) {
    const line = raw.trim();
    const block = (Object.keys(contractBlocks) as ContractBlock[]).find((name) => line === `{${name}}`);
    const marked = /^(#|##|-) +(.*)$/.exec(line);
    if (block === undefined && marked === null && line !== '') {
      paragraph.push(line);
      continue;
    }
    endParagraph();
    if (block !== undefined) parts.push({ kind: 'block', block });
    if (marked === null) continue;
    const text = fill(marked[2] ?? '');
    const last = parts.at(-1);
    if (marked[1] !== '-') parts.push({ kind: marked[1] === '#' ? 'title' : 'heading', text });
    else if (last?.kind === 'list') last.items.push(text);
    else parts.push({ kind: 'list', items: [text] });
  }
  endParagraph();
  return parts;
}

export const defaultContractTemplate = `# Contrat de licence

## Entre les soussignés

{maison}, {maison_adresse}, immatriculée sous le numéro SIREN {maison_siren}, numéro de TVA {maison_tva}, joignable à l’adresse {maison_email}, ci-après «\u00a0le Distributeur\u00a0»,

et

{client}, {client_adresse}, joignable à l’adresse {client_email}, ci-après «\u00a0le Producteur\u00a0»,

il a été convenu ce qui suit.

## Article 1. Objet

Le Producteur concède au Distributeur une licence exclusive d’exploitation numérique des enregistrements de la sortie «\u00a0{titre}\u00a0» de {artiste} (label\u00a0: {label}, code-barres\u00a0: {code_barres}). Cette sortie comprend {nombre_titres}, dont l’article 2 donne la liste. Le Distributeur met les enregistrements à la disposition des plateformes de téléchargement, d’écoute en continu et de partage de vidéos à compter du {date_sortie}.

## Article 2. Enregistrements

{titres}

## Article 3. Territoires

La licence vaut pour\u00a0: {territoires}.

## Article 4. Durée

La licence est concédée pour {duree} à compter de la date de sortie. Elle se renouvelle ensuite par périodes d’un an, sauf dénonciation par l’une des parties, par lettre recommandée avec accusé de réception, trois mois au moins avant son terme.

## Article 5. Rémunération

Le Distributeur reverse au Producteur, sur les sommes encaissées hors taxes\u00a0:

- {part} des revenus des plateformes de téléchargement et d’écoute, le Distributeur conservant {part_maison}\u00a0;
- {part_video} des revenus des plateformes vidéo, le Distributeur conservant {part_video_maison}.

Les revenus sont portés chaque mois au compte du Producteur, qui en demande le versement quand il le souhaite.

## Article 6. Garanties

Le Producteur, {proprietaire} étant propriétaire de l’enregistrement, garantit qu’il dispose de tous les droits nécessaires à la présente licence, notamment ceux des artistes interprètes, et que les enregistrements ne portent pas atteinte aux droits de tiers. Il garantit le Distributeur contre toute réclamation à ce titre.

## Article 7. Résiliation

En cas de manquement de l’une des parties à ses obligations, non réparé dans les trente jours d’une mise en demeure, l’autre partie peut résilier le contrat de plein droit. Le Distributeur retire alors les enregistrements des plateformes dans les meilleurs délais et verse au Producteur les sommes qui lui restent dues.

## Article 8. Droit applicable

Le présent contrat est soumis au droit français. Les parties s’efforcent de régler à l’amiable tout différend\u00a0; à défaut, les tribunaux du siège du Distributeur sont compétents.

Fait en deux exemplaires, le {date}.

{signatures}
`;
