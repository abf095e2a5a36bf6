import type { MailMessage } from '#src/lib/mail.ts';

const closing = `Si vous n’êtes pas à l’origine de ce changement, répondez à cette lettre sans attendre.

Régie`;

/** To the former and the new address, when an account's e-mail changes. */
export function emailChangedLetter(to: string, account: { name: string; email: string | null }): MailMessage {
  return {
    to,
    subject: 'L’adresse e-mail de votre compte a changé',
    text: `Bonjour,

L’adresse e-mail du compte de ${account.name} ${account.email === null ? 'a été retirée' : `est maintenant ${account.email}`}.

${closing}
`,
  };
}

/** To every address concerned, when bank or PayPal details change (decisions §5); numbers show their last 4 only. */
export function billingChangedLetter(
  to: string,
  account: { name: string; type: 'bank' | 'paypal'; destination: string },
): MailMessage {
  const what = account.type === 'bank' ? 'du compte bancaire' : 'du compte PayPal';
  return {
    to,
    subject: 'Vos coordonnées de paiement ont changé',
    text: `Bonjour,

Les coordonnées ${what} de ${account.name} ont changé. Les prochains versements iront vers ${account.destination}, après un délai de vérification de 72 heures.

${closing}
`,
  };
}
