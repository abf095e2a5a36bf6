import { House } from '@regie/contract/settings.ts';

/** The demo's label for contracts and invoices: fictitious, with well-formed numbers. */
export const demoHouse = House.parse({
  name: 'Marée Haute Diffusion',
  address: '18, quai de la Fosse',
  postcode: '44000',
  city: 'Nantes',
  country: 'France',
  siren: '918 273 640',
  electronicAddress: '918273640',
  vatRegime: 'normal',
  vatNumber: 'FR77 918273640',
  iban: 'FR76 3000 3012 3400 0512 3456 740',
  bic: 'SOGEFRPP',
  email: 'contact@maree-haute.example',
});

/** The label's ISRC prefix. */
export const demoIsrcPrefix = 'FRMHD';
