/** Signing in, and the second factor that is asked then. */
export const frSignIn = {
  signIn: 'Se connecter',
  sessionEnded: 'Votre session est terminée : connectez-vous pour reprendre où vous en étiez',
  email: 'E-mail',
  password: 'Mot de passe',
  newPassword: 'Nouveau mot de passe',
  passwordHint: '8 caractères au minimum',
  passwordConfirmation: 'Confirmer le mot de passe',
  changePassword: 'Changer le mot de passe',
  fname: 'Prénom',
  lname: 'Nom',
  prompt: {
    text: 'Indiquez votre second facteur pour terminer la connexion.',
    usePasskey: 'Utiliser une clé d’accès',
    or: 'ou',
    code: 'Code',
    codeTotp: 'Les 6 chiffres de votre application d’authentification, ou un code de secours.',
    codeRecovery: 'Sans votre clé d’accès, un de vos codes de secours.',
    submit: 'Valider',
    restart: 'Recommencer',
    passkeyFailed: 'La clé d’accès n’a pas répondu, ou la demande a été annulée\u00a0: réessayez',
    passkeyUnknownHost: (host: string) =>
      `Les clés d’accès ne fonctionnent qu’à l’adresse ${host}\u00a0: ouvrez Régie à cette adresse`,
    passkeyUnsupported: 'Ce navigateur ne prend pas en charge les clés d’accès\u00a0: utilisez-en un autre, ou un code',
    passkeyKnown: 'Cette clé d’accès est déjà ajoutée',
  },
  currentPassword: 'Votre mot de passe actuel',
} as const;
