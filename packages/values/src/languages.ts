import { cldrLanguages } from './names.generated.ts';
import { foldName } from './search-text.ts';

/**
 * ISO 639 codes of a release's or track's languages, named by CLDR: the living or sung ones of ISO 639-1, then those
 * without a two-letter code that French distributors meet (product §19.4: about 190 with Instrumental). Codes are
 * stored; the wire has names.
 */
export const cldrLanguageCodes: readonly string[] =
  `aa ab af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et
  eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi hr ht hu hy ia id ig is it iu ja jv ka kg ki kk kl km kn ko ks ku
  kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb ne ng nl nn nv ny oc oj om or os pa pl ps pt
  qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tn to tr ts tt ty ug uk ur
  uz ve vi wa wo xh yi yo za zh zu
  bho chr ckb crs dyu fil fon hak haw hsb kab kmb lua mfe mos mus nan pap rif shi swb tzm umb yue zgh`.split(/\s+/);

/** The code of Instrumental: `zxx` is ISO 639's "no linguistic content". */
export const instrumental = 'Instrumental';
const noLinguisticContent = 'zxx';

const languages: Readonly<Record<string, string>> = {
  ...cldrLanguages,
  // CLDR lacks these names, and has « capverdien » for kea.
  bci: 'Baoulé',
  gcf: 'Créole guadeloupéen',
  gcr: 'Créole guyanais',
  kea: 'Créole capverdien',
  rcf: 'Créole réunionnais',
  [noLinguisticContent]: instrumental,
};

let codesByName: ReadonlyMap<string, string> | undefined;

/** The code of a language from its French name or its code; any other text is unchanged. */
export function toLanguageCode(text: string): string {
  codesByName ??= new Map([
    // A name that equals another language's code takes precedence.
    ...Object.keys(languages).map((code): [string, string] => [code, code]),
    ...Object.entries(languages).map(([code, name]): [string, string] => [foldName(name), code]),
  ]);
  return codesByName.get(foldName(text)) ?? text;
}

/** The French name of a stored language; a text that is not a code is unchanged. */
export const languageName = (code: string): string => (Object.hasOwn(languages, code) && languages[code]) || code;

/** Every name, in French order, Instrumental first. */
export const languageNames = (): readonly string[] => [
  instrumental,
  ...Object.values(languages)
    .filter((name) => name !== instrumental)
    .toSorted(new Intl.Collator('fr').compare),
];
