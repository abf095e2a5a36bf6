import type { FactorKind } from '@regie/contract/second-factors.ts';

const nbsp = '\u00a0';

export const frSecurity = {
  intro: 'Ce qui protège votre compte.',
  kinds: { totp: 'Application d’authentification', passkey: 'Clé d’accès' } satisfies Record<FactorKind, string>,
  required: `Un second facteur est obligatoire${nbsp}: ajoutez-en un pour continuer.`,
  factors: {
    title: 'Second facteur',
    none: `Aucun second facteur. Avec lui, un mot de passe volé ne suffit plus pour entrer${nbsp}: ajoutez une clé d’accès ou une application d’authentification.`,
    added: 'Ajoutée le',
    lastUsed: 'Dernière utilisation',
    neverUsed: 'Jamais utilisée',
    addPasskey: 'Ajouter une clé d’accès',
    addTotp: 'Ajouter une application',
    remove: (name: string) => `Retirer ${name}`,
    removeConsequence: `Il ne servira plus à vous connecter. Vos autres sessions sont fermées et un e-mail vous en avertit.`,
    removeLast: `C’est votre dernier second facteur${nbsp}: votre mot de passe suffira pour entrer, et vos codes de secours ne seront plus valables.`,
    removeVerb: 'Retirer',
    name: 'Nom',
    nameHint: 'Pour le reconnaître dans cette liste.',
    passkeyName: 'Cet appareil',
    totpName: 'Téléphone',
    mailCode: 'Code reçu par e-mail',
    mailCodeHint: 'Un code à 8 chiffres, valable dix minutes.',
    sendMailCode: 'Envoyer le code',
    passkeyText: 'Votre navigateur vous demandera une empreinte, un code ou une clé de sécurité.',
    totpText:
      'Une application comme Aegis, 2FAS ou Google Authenticator affiche un code qui change toutes les 30 secondes.',
    continue: 'Continuer',
    qr: 'Code QR à lire avec votre application',
    scan: 'Lisez ce code QR avec votre application, ou saisissez-y la clé ci-dessous, puis recopiez le code affiché.',
    secret: 'Clé',
    code: 'Code affiché par l’application',
  },
  recovery: {
    title: 'Codes de secours',
    left: (left: number, total: number) =>
      `${left === 1 ? '1 code' : `${left} codes`} sur ${total} encore utilisables.`,
    text: 'Chacun remplace une fois votre second facteur, si vous le perdez.',
    renew: 'Créer de nouveaux codes',
    renewConsequence: 'Dix nouveaux codes remplacent les anciens, qui ne seront plus valables.',
    shown: `Notez ces codes en lieu sûr${nbsp}: ils ne seront plus affichés. Chacun sert une fois.`,
    copy: 'Copier les codes',
    download: 'Télécharger',
    file: 'codes-de-secours-regie.txt',
    done: 'J’ai noté mes codes',
  },
  lift: {
    own: (who: string, when: string) =>
      `${who} a demandé la levée de votre second facteur, qui prendra effet le ${when}. Si vous ne l’avez pas perdu, conservez-le.`,
    keep: 'Conserver mon second facteur',
  },
  password: { title: 'Mot de passe', text: 'Le changer ferme vos autres sessions. Un e-mail vous en avertit.' },
  provider: {
    title: 'Connexion',
    text: (label: string) =>
      `Vous vous connectez avec «${nbsp}${label}${nbsp}»${nbsp}: c’est là que se changent votre mot de passe et vos rôles.`,
    confirmed: `C’est confirmé${nbsp}: vous pouvez fermer cet onglet.`,
  },
  sessions: {
    title: 'Sessions ouvertes',
    current: 'Cette session',
    unknownDevice: 'Appareil inconnu',
    since: 'Ouverte le',
    lastSeen: 'Dernière activité',
    end: 'Fermer',
    endOne: (device: string) => `Fermer la session ${device}`,
    endOthers: 'Fermer toutes les autres',
    endOthersConsequence: 'Vous devrez vous reconnecter sur vos autres appareils.',
  },
  signIns: {
    title: 'Dernières connexions',
    at: 'Date',
    device: 'Appareil',
    address: 'Adresse IP',
    result: 'Résultat',
    results: {
      signed_in: 'Réussie',
      wrong_password: 'Mot de passe refusé',
      wrong_factor: 'Second facteur refusé',
      provider_refused: 'Refusée par le service de connexion',
    },
  },
} as const;
