import { fieldNames } from '@regie/contract/field-names.ts';
import { plural } from '@regie/values/formats.ts';

export const frAi = {
  recordingAi: fieldNames.recordingAi,
  compositionAi: fieldNames.compositionAi,
  coverAi: fieldNames.coverAi,
  declare: 'Déclarer l’IA',
  title: 'Déclarer la part de l’IA',
  ofRelease: 'Pour les titres et la pochette de la sortie qui n’ont encore aucune déclaration.',
  ofAccount: 'Pour les titres et les pochettes de ce compte qui n’ont encore aucune déclaration.',
  done: (tracks: number, covers: number) =>
    tracks + covers === 0
      ? 'Rien n’a changé\u00a0: ce qui est choisi était déjà déclaré partout'
      : `Déclaration enregistrée\u00a0: ${[
          tracks > 0 && plural(tracks, 'titre', 'titres'),
          covers > 0 && plural(covers, 'pochette', 'pochettes'),
        ]
          .filter(Boolean)
          .join(', ')}`,
} as const;
