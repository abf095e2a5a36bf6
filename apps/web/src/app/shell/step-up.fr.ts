export const frStepUp = {
  title: 'Confirmez que c’est bien vous',
  text: 'Cette action demande votre second facteur. Ce que vous avez saisi est conservé.',
  providerText:
    'Connectez-vous à nouveau avec le compte de l’entreprise, dans la fenêtre qui s’ouvre. Ce que vous avez saisi ici est conservé.',
  missingTitle: 'Un second facteur est nécessaire',
  missingText:
    'Cette action touche à l’argent ou aux accès\u00a0: ajoutez d’abord un second facteur à votre compte, dans Sécurité.',
  openSecurity: 'Ouvrir Sécurité',
} as const;
