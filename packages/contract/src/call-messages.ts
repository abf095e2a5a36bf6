/** Sentences of failed calls, which the browser needs before the first screen. */
export const callMessages = {
  // To the letter (product §18.2).
  network: 'Vérifiez votre connexion internet et ressayez',
  serverError: 'Une erreur est survenue de notre côté. Rien n’a été enregistré\u00a0: réessayez dans un instant',
  retry: 'Une erreur est survenue\u00a0: réessayez dans un instant',
  unavailable: 'Le service redémarre\u00a0: réessayez dans un instant',
};
