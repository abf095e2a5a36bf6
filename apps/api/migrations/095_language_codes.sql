-- Languages are stored by their ISO 639 code. Until now the name was, as the browser of whoever chose it had it: of languages
-- that a browser has no name for, their code with a capital ('Kab', 'Zgh'). Names come first: some are as short as codes.
CREATE TEMPORARY TABLE language_codes (name text NOT NULL, code text NOT NULL) ON COMMIT DROP;
INSERT INTO language_codes (name, code) VALUES
  ('Abkhaze', 'ab'), ('Afar', 'aa'), ('Afrikaans', 'af'), ('Akan', 'ak'), ('Albanais', 'sq'), ('Allemand', 'de'),
  ('Amazighe de l’Atlas central', 'tzm'), ('Amazighe standard marocain', 'zgh'), ('Amharique', 'am'),
  ('Anglais', 'en'), ('Arabe', 'ar'), ('Aragonais', 'an'), ('Arménien', 'hy'), ('Assamais', 'as'), ('Avar', 'av'),
  ('Aymara', 'ay'), ('Azerbaïdjanais', 'az'), ('Bachkir', 'ba'), ('Bambara', 'bm'), ('Baoulé', 'bci'),
  ('Basque', 'eu'), ('Bengali', 'bn'), ('Bhodjpouri', 'bho'), ('Bichelamar', 'bi'), ('Biélorusse', 'be'),
  ('Birman', 'my'), ('Bosniaque', 'bs'), ('Breton', 'br'), ('Bulgare', 'bg'), ('Cachemiri', 'ks'),
  ('Cantonais', 'yue'), ('Catalan', 'ca'), ('Chamorro', 'ch'), ('Cherokee', 'chr'), ('Chewa', 'ny'),
  ('Chinois', 'zh'), ('Chleuh', 'shi'), ('Cingalais', 'si'), ('Comorien', 'swb'), ('Coréen', 'ko'),
  ('Cornique', 'kw'), ('Corse', 'co'), ('Cree', 'cr'), ('Creek', 'mus'), ('Créole capverdien', 'kea'),
  ('Créole guadeloupéen', 'gcf'), ('Créole guyanais', 'gcr'), ('Créole haïtien', 'ht'), ('Créole mauricien', 'mfe'),
  ('Créole réunionnais', 'rcf'), ('Créole seychellois', 'crs'), ('Croate', 'hr'), ('Danois', 'da'),
  ('Dioula', 'dyu'), ('Dzongkha', 'dz'), ('Espagnol', 'es'), ('Espéranto', 'eo'), ('Estonien', 'et'), ('Éwé', 'ee'),
  ('Féroïen', 'fo'), ('Fidjien', 'fj'), ('Filipino', 'fil'), ('Finnois', 'fi'), ('Fon', 'fon'), ('Français', 'fr'),
  ('Frison occidental', 'fy'), ('Gaélique écossais', 'gd'), ('Galicien', 'gl'), ('Gallois', 'cy'), ('Ganda', 'lg'),
  ('Géorgien', 'ka'), ('Goudjarati', 'gu'), ('Grec', 'el'), ('Groenlandais', 'kl'), ('Guarani', 'gn'),
  ('Hakka', 'hak'), ('Haoussa', 'ha'), ('Haut-sorabe', 'hsb'), ('Hawaïen', 'haw'), ('Hébreu', 'he'), ('Hindi', 'hi'),
  ('Hongrois', 'hu'), ('Igbo', 'ig'), ('Indonésien', 'id'), ('Interlingua', 'ia'), ('Inuktitut', 'iu'),
  ('Irlandais', 'ga'), ('Islandais', 'is'), ('Italien', 'it'), ('Japonais', 'ja'), ('Javanais', 'jv'),
  ('Kabyle', 'kab'), ('Kannada', 'kn'), ('Kazakh', 'kk'), ('Khmer', 'km'), ('Kikongo', 'kg'), ('Kikuyu', 'ki'),
  ('Kimboundou', 'kmb'), ('Kinyarwanda', 'rw'), ('Kirghize', 'ky'), ('Komi', 'kv'), ('Kurde', 'ku'), ('Lao', 'lo'),
  ('Latin', 'la'), ('Letton', 'lv'), ('Limbourgeois', 'li'), ('Lingala', 'ln'), ('Lituanien', 'lt'),
  ('Luba-kasaï (ciluba)', 'lua'), ('Luba-katanga (kiluba)', 'lu'), ('Luxembourgeois', 'lb'), ('Macédonien', 'mk'),
  ('Malais', 'ms'), ('Malayalam', 'ml'), ('Maldivien', 'dv'), ('Malgache', 'mg'), ('Maltais', 'mt'),
  ('Mannois', 'gv'), ('Maori', 'mi'), ('Marathi', 'mr'), ('Marshallais', 'mh'), ('Minnan', 'nan'), ('Mongol', 'mn'),
  ('Moré', 'mos'), ('Nauruan', 'na'), ('Navajo', 'nv'), ('Ndonga', 'ng'), ('Néerlandais', 'nl'), ('Népalais', 'ne'),
  ('Norvégien bokmål', 'nb'), ('Norvégien nynorsk', 'nn'), ('Occitan', 'oc'), ('Odia', 'or'), ('Ojibwa', 'oj'),
  ('Oromo', 'om'), ('Ossète', 'os'), ('Ouïghour', 'ug'), ('Ourdou', 'ur'), ('Ouzbek', 'uz'), ('Pachto', 'ps'),
  ('Papiamento', 'pap'), ('Pendjabi', 'pa'), ('Persan', 'fa'), ('Peul', 'ff'), ('Polonais', 'pl'),
  ('Portugais', 'pt'), ('Quechua', 'qu'), ('Rifain', 'rif'), ('Romanche', 'rm'), ('Roumain', 'ro'), ('Roundi', 'rn'),
  ('Russe', 'ru'), ('Same du Nord', 'se'), ('Samoan', 'sm'), ('Sango', 'sg'), ('Sanskrit', 'sa'), ('Sarde', 'sc'),
  ('Serbe', 'sr'), ('Shona', 'sn'), ('Sindhi', 'sd'), ('Slavon d’église', 'cu'), ('Slovaque', 'sk'),
  ('Slovène', 'sl'), ('Somali', 'so'), ('Sorani', 'ckb'), ('Sotho du Sud', 'st'), ('Soundanais', 'su'),
  ('Suédois', 'sv'), ('Swahili', 'sw'), ('Swati', 'ss'), ('Tadjik', 'tg'), ('Tahitien', 'ty'), ('Tamoul', 'ta'),
  ('Tatar', 'tt'), ('Tchèque', 'cs'), ('Tchétchène', 'ce'), ('Tchouvache', 'cv'), ('Télougou', 'te'), ('Thaï', 'th'),
  ('Tibétain', 'bo'), ('Tigrigna', 'ti'), ('Tongien', 'to'), ('Tsonga', 'ts'), ('Tswana', 'tn'), ('Turc', 'tr'),
  ('Turkmène', 'tk'), ('Ukrainien', 'uk'), ('Umbundu', 'umb'), ('Venda', 've'), ('Vietnamien', 'vi'),
  ('Wallon', 'wa'), ('Wolof', 'wo'), ('Xhosa', 'xh'), ('Yiddish', 'yi'), ('Yoruba', 'yo'), ('Zhuang', 'za'),
  ('Zoulou', 'zu'), ('Instrumental', 'zxx');

CREATE TEMPORARY TABLE stored_languages ON COMMIT DROP AS
  SELECT l.stored, coalesce(
           (SELECT c.code FROM language_codes c WHERE lower(c.name) = lower(replace(trim(l.stored), '''', '’')) LIMIT 1),
           (SELECT c.code FROM language_codes c WHERE c.code = lower(trim(l.stored)) LIMIT 1)) AS code
    FROM (SELECT language AS stored FROM releases WHERE language IS NOT NULL
          UNION SELECT language FROM tracks WHERE language IS NOT NULL) l;

UPDATE releases SET language = s.code FROM stored_languages s WHERE s.stored = language AND s.code <> s.stored;
UPDATE tracks SET language = s.code FROM stored_languages s WHERE s.stored = language AND s.code <> s.stored;

COMMENT ON COLUMN releases.language IS 'ISO 639 code (zxx: no words), or what was written where no code is known';
COMMENT ON COLUMN tracks.language IS 'ISO 639 code (zxx: no words), or what was written where no code is known';
