export const frAuth = {
  signInText: 'L’espace de l’équipe',
  signedOut: 'Vous êtes déconnecté.',
  signOutUnconfirmed:
    'Vous êtes déconnecté de cette page, mais le serveur ne l’a pas confirmé\u00a0: votre session peut rester ouverte dans ce navigateur.',
  signOutAgain: 'Se déconnecter à nouveau',
  forgotten: 'Mot de passe oublié ?',
  resetText: 'Indiquez votre adresse : nous vous enverrons un lien, valable une heure.',
  sendLink: 'Envoyer le lien',
  backToSignIn: 'Retour à la connexion',
  signatoryCode:
    'Vous êtes signataire\u00a0: les 6 chiffres de votre application d’authentification, ou un code de secours.',
  newLink: 'Demander un nouveau lien',
  signUpText: 'Vous avez été invité à rejoindre Régie.',
  signUp: 'Créer le compte',
} as const;
