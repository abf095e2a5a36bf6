import type { Entity } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';

export const mail = {
  label: 'E-mail',
  actions: { 'mail.refuse': 'E-mail non remis' },
  fields: { reply: ['figure', 'réponse du serveur d’envoi'] },
  personal: { to: ['text', 'destinataire'], subject: ['text', fieldNames.subject] },
} as const satisfies Entity;
