/** The licence contract of a release, and its button. */
export const frContract = {
  button: 'Contrat',
  made: (fileName: string) => `Le contrat est produit : ${fileName}`,
  missing: (fields: readonly string[]) => `À compléter à la main : ${fields.join(', ')}.`,
  preview: 'Aperçu',
  documentTitle: (title: string) => `Contrat de licence, ${title}`,
  world: 'le monde entier',
  freeLabel: 'label numérique gratuit',
  track: 'titre',
  tracks: 'titres',
  year: 'an',
  years: 'ans',
  number: 'n°',
  title: 'Titre',
  artists: 'Artistes',
  none: '—',
  signedBy: (name: string) => `Pour ${name}`,
  signatureHint: 'Nom, qualité, date et signature, précédés de « lu et approuvé »',
  customFileName: (slugs: readonly string[], id: number) =>
    `${['contrat', ...slugs, String(id)].filter(Boolean).join('-')}.pdf`,
  customFooter: (title: string, client: string) => `${title}, ${client}`,
} as const;
