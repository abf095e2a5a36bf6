import { plural } from '#src/lib/formats.ts';

/** The sentences of promo codes, smartlinks and subscriptions, which load with them. Spaces before : ; ! ? are U+00A0. */
export const frServices = {
  promo: {
    title: 'Codes promo',
    add: 'Créer un code promo',
    search: 'Chercher un nom, une description',
    name: 'Nom',
    description: 'Description',
    type: 'Type',
    percent: 'Pourcentage',
    amount: 'Remise',
    dueDate: 'Date d’expiration',
    state: 'État',
    states: { valid: 'Valable', expired: 'Expiré' },
    uses: 'Commandes',
    createdAt: 'Créé le',
    emptyTitle: 'Aucun code promo',
    emptyText: 'Un code promo retire un pourcentage du prix de la formule et des frais d’une sortie.',
    remove: (name: string) => `Supprimer le code promo ${name}`,
    removeVerb: 'Supprimer le code promo',
    removeConsequence: (uses: number) =>
      uses === 0
        ? 'Il ne sera plus accepté. Aucune commande ne l’utilise.'
        : `Il ne sera plus accepté. ${plural(uses, 'commande qui l’utilise garde sa', 'commandes qui l’utilisent gardent leur')} remise.`,
    form: {
      title: 'Créer un code promo',
      name: 'Nom du code',
      nameHint: '2 caractères au minimum. Majuscules ou minuscules, le code est le même.',
      amount: 'Remise',
      amountHint: 'Tapez un point pour les décimales, par exemple 12.5 (une virgule convient aussi).',
      dueDate: 'Date d’expiration',
      dueDateHint: 'Jour/mois/année. Le code est accepté jusqu’à ce jour compris.',
      duePlaceholder: 'jj/mm/aaaa',
      description: 'Description',
      descriptionHint: 'Pour l’équipe seulement.',
      past: 'Cette date est passée : le code sera enregistré, mais ne s’appliquera pas.',
      save: 'Enregistrer le code promo',
      toList: 'Voir les codes promo',
    },
  },
} as const;
