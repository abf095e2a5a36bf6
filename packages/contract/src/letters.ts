import { keysOf } from './zod.ts';

/** E-mails of the server, with texts that staff may edit: `{name}` is replaced, the rest is sent as written. */
export interface Letter {
  subject: string;
  text: string;
}

interface LetterKind {
  label: string;
  hint: string;
  fields: Record<string, string>;
  needed: readonly string[];
  default: Letter;
}

const account = { maison: 'Nom du distributeur', compte: 'Nom du client' };

export const letterKinds = {
  passwordResetLetter: {
    label: 'Mot de passe oublié',
    hint: 'À un administrateur qui demande un nouveau mot de passe.',
    fields: { maison: 'Nom du distributeur', lien: 'Adresse où choisir le mot de passe, valable une heure' },
    needed: ['lien'],
    default: {
      subject: 'Réinitialiser votre mot de passe Régie',
      text: `Bonjour,

Vous avez demandé un nouveau mot de passe pour Régie. Choisissez-le à cette adresse, valable une heure et une seule fois\u00a0:

{lien}

Si vous n’avez rien demandé, ignorez ce message\u00a0: votre mot de passe reste le même.`,
    },
  },
  passwordChangedLetter: {
    label: 'Mot de passe changé',
    hint: 'À un administrateur dont le mot de passe vient de changer.',
    fields: { maison: 'Nom du distributeur' },
    needed: [],
    default: {
      subject: 'Votre mot de passe Régie a changé',
      text: `Bonjour,

Le mot de passe de votre compte Régie vient d’être changé, et vos sessions ouvertes sont terminées.

Si ce changement ne vient ni de vous ni d’un administrateur que vous connaissez, demandez un nouveau mot de passe depuis la page de connexion et prévenez votre responsable.`,
    },
  },
  invitationLetter: {
    label: 'Invitation',
    hint: 'À une personne invitée parmi les administrateurs.',
    fields: {
      maison: 'Nom du distributeur',
      invitant: 'Nom de la personne qui invite',
      lien: 'Adresse où créer le compte, valable sept jours',
    },
    needed: ['lien'],
    default: {
      subject: 'Votre invitation à Régie',
      text: `Bonjour,

{invitant} vous invite à rejoindre Régie. Créez votre compte à cette adresse, valable sept jours et une seule fois\u00a0:

{lien}

Si vous n’attendiez pas cette invitation, ignorez ce message.`,
    },
  },
  accessChangedLetter: {
    label: 'Accès modifié',
    hint: 'À un administrateur, à chacune de ses adresses, quand ses droits, son e-mail ou son second facteur changent.',
    fields: { maison: 'Nom du distributeur', changement: 'Ce qui a changé, en une phrase', auteur: 'Qui l’a changé' },
    needed: ['changement'],
    default: {
      subject: 'Votre accès à Régie a changé',
      text: `Bonjour,

{changement}

Ce changement a été fait par {auteur}. Si vous ne l’attendiez pas, prévenez votre responsable sans attendre.

{maison}`,
    },
  },
  factorCodeLetter: {
    label: 'Code pour ajouter un second facteur',
    hint: 'À un administrateur qui ajoute son premier second facteur, là où il est obligatoire.',
    fields: { maison: 'Nom du distributeur', code: 'Code à recopier, valable dix minutes' },
    needed: ['code'],
    default: {
      subject: 'Votre code pour ajouter un second facteur',
      text: `Bonjour,

Pour ajouter un second facteur à votre compte Régie, recopiez ce code, valable dix minutes\u00a0:

{code}

Si vous n’avez rien demandé, quelqu’un connaît votre mot de passe\u00a0: changez-le et prévenez votre responsable.

{maison}`,
    },
  },
  newDeviceLetter: {
    label: 'Connexion depuis un nouvel appareil',
    hint: 'À un administrateur, quand son compte est ouvert depuis un appareil inconnu.',
    fields: {
      maison: 'Nom du distributeur',
      appareil: 'Navigateur et système',
      adresse: 'Adresse IP',
      date: 'Date et heure de Paris',
    },
    needed: ['appareil'],
    default: {
      subject: 'Connexion à Régie depuis un nouvel appareil',
      text: `Bonjour,

Votre compte Régie vient d’être ouvert depuis un appareil que nous ne connaissions pas\u00a0: {appareil}, adresse {adresse}, le {date}.

Si ce n’était pas vous, changez votre mot de passe et prévenez votre responsable.

{maison}`,
    },
  },
  emailChangedLetter: {
    label: 'Adresse e-mail changée',
    hint: 'À l’ancienne et à la nouvelle adresse d’un client.',
    fields: { ...account, changement: '«\u00a0est maintenant …\u00a0» ou «\u00a0a été retirée\u00a0»' },
    needed: ['changement'],
    default: {
      subject: 'L’adresse e-mail de votre compte a changé',
      text: `Bonjour,

L’adresse e-mail du compte de {compte} {changement}.

Si vous n’êtes pas à l’origine de ce changement, répondez à cet e-mail sans attendre.

{maison}`,
    },
  },
  billingChangedLetter: {
    label: 'Coordonnées de paiement changées',
    hint: 'À toutes les adresses connues d’un client, quand son compte bancaire ou PayPal change.',
    fields: {
      ...account,
      moyen: '«\u00a0du compte bancaire\u00a0» ou «\u00a0du compte PayPal\u00a0»',
      destination: 'IBAN masqué ou adresse PayPal',
    },
    needed: ['destination'],
    default: {
      subject: 'Vos coordonnées de paiement ont changé',
      text: `Bonjour,

Les coordonnées {moyen} de {compte} ont changé. Les prochains versements iront vers {destination}, après un délai de vérification de 72 heures.

Si vous n’êtes pas à l’origine de ce changement, répondez à cet e-mail sans attendre.

{maison}`,
    },
  },
  royaltyLetter: {
    label: 'Relevé client',
    hint: 'À chaque client, quand son relevé est envoyé.',
    fields: {
      ...account,
      periode: 'Mois du relevé, ou premier et dernier',
      numero: 'Numéro du relevé',
      lien: 'Adresse de son relevé, valable six mois',
    },
    needed: ['lien'],
    default: {
      subject: 'Votre relevé n°\u00a0{numero}, {periode}',
      text: `Bonjour,

Votre relevé n°\u00a0{numero}, {periode}, est disponible à cette adresse, sans mot de passe\u00a0:

{lien}

Il montre ce que chaque titre a rapporté, et d’où vient chaque montant. Ce lien n’est destiné qu’à vous.

{maison}`,
    },
  },
} as const satisfies Record<string, LetterKind>;
export type LetterName = keyof typeof letterKinds;
export const letterNames = keysOf(letterKinds);

/** The values of the placeholders of each e-mail. */
export type LetterValues<Name extends LetterName> = Record<keyof (typeof letterKinds)[Name]['fields'], string>;

/** Whether a mail program would turn part of the text into a link. */
const holdsAddress = (text: string): boolean => /:\/\/|www\.|@|[\p{L}\d-]\.\p{L}{2,}/iu.test(text);

const placeholder = /\{([^{}]*)\}/g;

export function findLetterFault(name: LetterName, part: keyof Letter, text: string): string | undefined {
  const { fields, needed }: LetterKind = letterKinds[name];
  const named = [...text.matchAll(placeholder)].map(([, field = '']) => field);
  const unknown = named.find((field) => !Object.hasOwn(fields, field));
  if (unknown !== undefined) return `Le champ {${unknown}} n’existe pas\u00a0: choisissez dans la liste des champs`;
  if (/[{}]/.test(text.replaceAll(placeholder, ''))) return 'Une accolade n’est pas fermée';
  const missing = part === 'text' ? needed.find((field) => !named.includes(field)) : undefined;
  if (missing !== undefined) return `Le texte doit contenir {${missing}}`;
  if (holdsAddress(text)) return 'Un e-mail ne doit contenir aucune autre adresse que {lien}';
  const links = text.split('\n').filter((line) => line.includes('{lien}'));
  const isAlone = links.length < 2 && links.every((line) => line.trim() === '{lien}');
  return isAlone ? undefined : 'Le champ {lien} doit être seul sur sa ligne et n’apparaître qu’une fois';
}

/** Names chosen by users, escaped so that no mail program turns them into links. */
const chosenNames: readonly string[] = ['maison', 'compte', 'invitant', 'auteur'];
export const withoutLinks = (name: string) => name.replaceAll('://', ': //').replaceAll(/\.(?=\p{L}{2,})/gu, '. ');

/** The final e-mail: each value is inserted once, on one line; placeholders inside values are not replaced. */
export function fillLetter<Name extends LetterName>(letter: Letter, values: LetterValues<Name>): Letter {
  const known = new Map<string, string>(
    Object.entries<string>(values).map(([field, value]) => [
      field,
      chosenNames.includes(field) ? withoutLinks(value) : value,
    ]),
  );
  const fill = (text: string) =>
    text.replaceAll(placeholder, (whole, field: string) => known.get(field)?.replaceAll(/\s+/g, ' ') ?? whole);
  return { subject: fill(letter.subject), text: `${fill(letter.text).trimEnd()}\n` };
}
