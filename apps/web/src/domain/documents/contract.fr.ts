export const frContract = {
  button: 'Contrat',
  made: (fileName: string) => `Le contrat est produit : ${fileName}`,
  missing: (fields: readonly string[]) => `À compléter à la main : ${fields.join(', ')}.`,
  preview: 'Aperçu',
} as const;
