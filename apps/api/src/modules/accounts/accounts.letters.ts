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
