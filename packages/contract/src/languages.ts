/**
 * The languages a release or track can be sung in, as ISO 639 codes: those of ISO 639-1 that are alive or sung, plus
 * the ones without a two-letter code that French distributors meet (specification 1 §9: about 190 with Instrumental).
 */
const codes = `
  aa ab af ak am an ar as av ay az ba be bg bho bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz
  ee el en eo es et eu fa ff fi fil fj fo fr fy ga gd gl gn gu gv ha he hi hr ht hu hy ia id ig is it iu ja jv
  ka kab kg ki kk kl km kn ko ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my
  na nb ne ng nl nn nv ny oc oj om or os pa pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq
  sr ss st su sv sw ta te tg th ti tk tn to tr ts tt ty tzm ug uk ur uz ve vi wa wo xh yi yo za zh zu
  gcf gcr mfe crs rcf mos dyu fon bci kea pap swb zgh rif shi ckb lua umb kmb yue hak nan hsb mus chr haw
`
  .trim()
  .split(/\s+/);

/** What a piece without words is filed under. */
export const instrumental = 'Instrumental';

// Not in every version of the names that browsers carry.
const ownNames: Record<string, string> = {
  gcf: 'Créole guadeloupéen',
  gcr: 'Créole guyanais',
  rcf: 'Créole réunionnais',
  swb: 'Comorien',
  bci: 'Baoulé',
  dyu: 'Dioula',
  kea: 'Créole capverdien',
  mfe: 'Créole mauricien',
  crs: 'Créole seychellois',
};

/** The French names, in French order, Instrumental first; the names are what is stored. */
export function languageNames(): readonly string[] {
  const names = new Intl.DisplayNames('fr', { type: 'language' });
  const capitalised = (text: string) => text.charAt(0).toLocaleUpperCase('fr') + text.slice(1);
  const found = codes.map((code) => ownNames[code] ?? capitalised(names.of(code) ?? code));
  return [instrumental, ...[...new Set(found)].toSorted(new Intl.Collator('fr').compare)];
}
