import { House } from '@regie/contract/settings.ts';

/** The house of the demo, on its contracts and invoices: an invented one, its numbers well formed. */
export const demoHouse = House.parse({
  name: 'Marée Haute Diffusion',
  address: '18, quai de la Fosse',
  postcode: '44000',
  city: 'Nantes',
  country: 'France',
  siren: '918 273 640',
  vatNumber: 'FR77 918273640',
  iban: 'FR76 3000 3012 3400 0512 3456 740',
  bic: 'SOGEFRPP',
  email: 'contact@maree-haute.example',
});

/** What the house’s own ISRCs begin with. */
export const demoIsrcPrefix = 'FRMHD';
