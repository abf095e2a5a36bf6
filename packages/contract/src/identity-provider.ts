import { keysOf, z } from './zod.ts';

const nbsp = '\u00a0';

/** Why a sign-in at the provider failed, with the sentence shown. */
export const providerFailures = {
  unreachable: `Le service de connexion de l’entreprise ne répond pas${nbsp}: réessayez dans quelques minutes`,
  denied: 'La connexion a été refusée ou abandonnée chez le service de connexion de l’entreprise',
  expired: `Cette demande de connexion a expiré ou a déjà servi${nbsp}: recommencez`,
  unverifiable: `La réponse du service de connexion de l’entreprise n’a pas pu être vérifiée${nbsp}: recommencez, et prévenez votre responsable si cela se répète`,
  email_unverified: `Le service de connexion de l’entreprise n’a pas vérifié votre adresse e-mail${nbsp}: demandez-le à qui le gère, puis recommencez`,
  no_role: `Aucun de vos rôles dans l’entreprise n’ouvre Régie${nbsp}: demandez-en un à votre responsable`,
  deleted: `Votre accès à Régie a été supprimé${nbsp}: demandez à un administrateur de vous ajouter à nouveau`,
  taken: `Un autre compte de l’entreprise se connecte déjà avec votre adresse e-mail${nbsp}: prévenez votre responsable`,
  signatory: `Vous êtes signataire${nbsp}: connectez-vous par mot de passe, ajoutez un second facteur, puis recommencez`,
  other_person: 'Ce compte de l’entreprise n’est pas celui de la personne connectée à Régie',
} as const;

export const ProviderFailure = z.enum(keysOf(providerFailures));
export type ProviderFailure = z.infer<typeof ProviderFailure>;

export const providerMessages = {
  localClosed: `La connexion par mot de passe est fermée${nbsp}: passez par le compte de l’entreprise`,
  linked: (label: string) =>
    `Vous vous connectez avec «${nbsp}${label}${nbsp}»${nbsp}: votre mot de passe n’ouvre plus Régie`,
  noPassword: (label: string) =>
    `Cette personne se connecte avec «${nbsp}${label}${nbsp}»${nbsp}: elle n’a pas de mot de passe dans Régie`,
  rolesElsewhere: (label: string) =>
    `Les droits de cette personne suivent ses rôles dans «${nbsp}${label}${nbsp}»${nbsp}: modifiez-les dans ce service, ou supprimez l’administrateur`,
  confirm: `Confirmez que c’est bien vous${nbsp}: connectez-vous à nouveau avec le compte de l’entreprise`,
} as const;
