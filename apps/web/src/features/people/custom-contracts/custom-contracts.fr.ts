/** Custom contracts. */
export const frCustomContracts = {
  text: 'Le contrat est produit en PDF, et son texte est gardé avec le compte tel qu’il est aujourd’hui.',
  account: 'Compte',
  kind: 'Modèle',
  kindHint: 'Choisir un autre modèle remplace le texte',
  replaceConsequence: 'Le texte que vous avez modifié sera remplacé par celui de ce modèle.',
  replaceVerb: 'Remplacer le texte',
  name: 'Nom du contrat',
  nameHint: 'Tel qu’il figurera dans la liste des contrats du compte',
  fields: 'Informations',
  fieldsHint: 'Les champs laissés vides seront à compléter à la main.',
  template: 'Texte du contrat',
  templateHint:
    'Une ligne qui commence par «\u00a0#\u00a0» est le titre, par «\u00a0##\u00a0» un intertitre, par «\u00a0-\u00a0» une liste. {signatures} est seul sur sa ligne.',
  ownShare: 'Si vide, la part actuelle du compte',
  insert: 'Insérer un champ',
  signatures: 'Cadres des signatures',
  submit: 'Créer le contrat en PDF',
  busy: 'Création…',
  again: 'Créer un autre contrat',
  download: 'Télécharger à nouveau',
  toAccount: 'Voir le compte',
} as const;
