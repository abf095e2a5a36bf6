import { coverageOf, unpacked } from './font-coverage.ts';

export interface PrintedText {
  text: string;
  font?: string;
}
export interface FontFile {
  name: string;
  file: ArrayBuffer;
}
/** Where one end finds the font files: Roboto, and a style sheet of `@fontsource` for each other family. */
export interface FontSource {
  regular: string;
  medium: string;
  css: (family: FontFamily) => Promise<string>;
  load: (url: string) => Promise<ArrayBuffer>;
}

interface Face {
  name: string;
  url: string;
  ranges: [first: number, last: number][];
}

const kana = /[\p{sc=Hira}\p{sc=Kana}]/u;
const ideographs = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Bopo}\u3000-\u303f\uff00-\uffef]/u;

const families = [
  // Noto shares letter shapes and adds the dots separately: text copied from the PDF would turn ب into ن.
  { name: 'ibm-plex-sans-arabic', has: /\p{scx=Arab}/u },
  { name: 'noto-sans-arabic', has: /\p{scx=Arab}/u },
  { name: 'noto-sans-hebrew', has: /\p{scx=Hebr}/u },
  { name: 'noto-sans', has: /[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Deva}\p{M}]/u },
  { name: 'noto-sans-armenian', has: /\p{scx=Armn}/u },
  { name: 'noto-sans-georgian', has: /\p{scx=Geor}/u },
  { name: 'noto-sans-ethiopic', has: /\p{scx=Ethi}/u },
  { name: 'noto-sans-tifinagh', has: /\p{scx=Tfng}/u },
  { name: 'noto-sans-thai', has: /\p{scx=Thai}/u },
  { name: 'nanum-gothic', has: /\p{scx=Hang}/u },
  { name: 'noto-sans-sc', has: ideographs },
  { name: 'noto-sans-jp', has: ideographs },
  { name: 'noto-emoji', has: /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u },
  { name: 'noto-sans-symbols', has: /[\p{S}\p{N}\p{P}]/u },
  { name: 'noto-sans-symbols-2', has: /[\p{S}\p{N}\p{P}]/u },
] as const;
/** Packages of `@fontsource`. */
export type FontFamily = (typeof families)[number]['name'];
/** In a text with kana the Japanese font comes before the Chinese one. */
const withKana: { [Family in FontFamily]?: FontFamily } = {
  'noto-sans-sc': 'noto-sans-jp',
  'noto-sans-jp': 'noto-sans-sc',
};

function rangeOf(text: string): [number, number] {
  const [first = '', last = first] = text.trim().replace(/^U\+/i, '').split('-');
  return [Number.parseInt(first.replaceAll('?', '0'), 16), Number.parseInt(last.replaceAll('?', 'f'), 16)];
}

/** The faces of a style sheet with a WOFF file, which both ends can decompress. */
export const parseFontFaces = (family: string, css: string): Face[] =>
  Array.from(css.matchAll(/@font-face\s*\{([^}]*)\}/g), ([, body = '']) => body).flatMap((body, index) => {
    const url = /url\(["']?([^"')]+\.woff)["']?\)/.exec(body)?.[1];
    const ranges = /unicode-range:([^;]+)/.exec(body)?.[1]?.split(',').map(rangeOf);
    return url && ranges ? [{ name: `${family}-${index}`, url, ranges }] : [];
  });

const codePointsOf = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);
const invisibleCharacter = /^[\p{Default_Ignorable_Code_Point}\p{Cf}]$/u;
const invisibleCharacters = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const replacement = '\ufffd';

const graphemes = new Intl.Segmenter('fr', { granularity: 'grapheme' });
export const graphemesOf = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Finds fonts for characters that the document's own font lacks, and loads each font file once. */
export class PrintedGlyphs {
  readonly #own: ReadonlySet<number>;
  readonly #source: FontSource;
  readonly #faces = new Map<FontFamily, Promise<Face[]>>();
  readonly #files = new Map<Face, Promise<{ file: ArrayBuffer; covered: ReadonlySet<number> }>>();
  readonly #used = new Map<string, { file: ArrayBuffer; covered: ReadonlySet<number> }>();
  readonly #printed = new Map<string, PrintedText[]>();

  constructor(own: ReadonlySet<number>, source: FontSource) {
    this.#own = own;
    this.#source = source;
  }

  get files(): FontFile[] {
    return Array.from(this.#used, ([name, { file }]) => ({ name, file }));
  }

  hasAll(text: string): boolean {
    return codePointsOf(text).every((code) => this.#own.has(code) || code === 0x0a);
  }

  /** Chooses the fonts for the graphemes of a text, and of `also`. @throws Error when a font file cannot be loaded */
  async prepare(text: string, also = ''): Promise<void> {
    for (const grapheme of [...graphemesOf(text), ...graphemesOf(also)]) {
      const key = this.#key(grapheme, text);
      if (!this.#printed.has(key)) this.#printed.set(key, await this.#find(grapheme, kana.test(text)));
    }
  }

  printed(grapheme: string, text: string): PrintedText[] {
    return this.#printed.get(this.#key(grapheme, text)) ?? [{ text: replacement }];
  }

  /** A space in the font of the text before it, so that PDF readers see one piece of text. */
  spaceAfter(font: string | undefined, space: string): PrintedText {
    const covered = font === undefined ? undefined : this.#used.get(font)?.covered;
    return covered?.has(space.codePointAt(0) ?? 0) ? { text: space, font } : { text: space };
  }

  #key(grapheme: string, text: string): string {
    return `${kana.test(text) ? 'kana' : ''} ${grapheme}`;
  }

  async #find(grapheme: string, isJapanese: boolean): Promise<PrintedText[]> {
    const piece = await this.#findWhole(grapheme, isJapanese);
    if (piece) return [piece];
    const characters = Array.from(grapheme);
    if (characters.length === 1) return [{ text: replacement }];
    const parts = await Promise.all(characters.map((character) => this.#findWhole(character, isJapanese)));
    return parts.map((part) => part ?? { text: replacement });
  }

  async #findWhole(grapheme: string, isJapanese: boolean): Promise<PrintedText | undefined> {
    const visible = grapheme.replaceAll(invisibleCharacters, '');
    if (visible === '' || this.hasAll(visible)) return { text: visible };
    for (const { name, has } of families) {
      if (!has.test(visible)) continue;
      const [first = 0] = codePointsOf(visible);
      const faces = await this.#parseFontFaces((isJapanese && withKana[name]) || name);
      for (const face of faces.filter(({ ranges }) => ranges.some(([from, to]) => from <= first && first <= to))) {
        const loaded = await this.#fileOf(face);
        const { covered } = loaded;
        if (!codePointsOf(visible).every((code) => covered.has(code))) continue;
        this.#used.set(face.name, loaded);
        const text = Array.from(grapheme).filter(
          (one) => !invisibleCharacter.test(one) || covered.has(one.codePointAt(0) ?? 0),
        );
        return { text: text.join(''), font: face.name };
      }
    }
    return undefined;
  }

  #parseFontFaces(family: FontFamily): Promise<Face[]> {
    const known = this.#faces.get(family) ?? this.#source.css(family).then((css) => parseFontFaces(family, css));
    this.#faces.set(family, known);
    return known;
  }

  #fileOf(face: Face): Promise<{ file: ArrayBuffer; covered: ReadonlySet<number> }> {
    const load = async () => {
      const file = await unpacked(await this.#source.load(face.url));
      return { file, covered: coverageOf(file) };
    };
    const loaded = this.#files.get(face) ?? load();
    this.#files.set(face, loaded);
    return loaded;
  }
}
