-- Functions of their arguments alone, parsed when created: each comes after those it calls.

-- For search: no case, no accents. unaccent() is STABLE since its dictionary can be replaced; this one names it.
CREATE OR REPLACE FUNCTION fold(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN lower(public.unaccent('public.unaccent'::regdictionary, value));

CREATE OR REPLACE FUNCTION is_first_of_month(value date) RETURNS boolean
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN extract(day FROM value) = 1;

CREATE OR REPLACE FUNCTION month_in_paris(at timestamptz) RETURNS date LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN date_trunc('month', at AT TIME ZONE 'Europe/Paris')::date;

CREATE OR REPLACE FUNCTION is_barcode(value text) RETURNS boolean
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN value ~ '^([0-9]{8}|[0-9]{12}|[0-9]{13}|[0-9]{14})$'
     AND (SELECT sum(digit::integer * CASE WHEN (length(value) - place) % 2 = 0 THEN 1 ELSE 3 END) % 10 = 0
            FROM string_to_table(value, NULL) WITH ORDINALITY AS digits (digit, place));
COMMENT ON FUNCTION is_barcode IS 'a GTIN of 8, 12, 13 or 14 digits whose check digit is right';

-- Symbols are words where a text has neither letters nor digits ("!!!", "∞"); otherwise they are ignored.
CREATE OR REPLACE FUNCTION words_of(value text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN ARRAY(SELECT DISTINCT left(word, 60)
                 FROM (SELECT public.fold(value) AS folded) AS f
                CROSS JOIN LATERAL string_to_table(
                  regexp_replace(f.folded, CASE WHEN f.folded ~ '[[:alnum:]]' THEN '[^[:alnum:]]+' ELSE '\s+' END, ' ', 'g'),
                  ' ') AS word
                WHERE word <> '');
COMMENT ON FUNCTION words_of IS 'the words of a text, folded, each once, its signs where it has nothing else; no dictionary of any language';

-- Title and artist separately: with the account's name they never consist of symbols only.
CREATE OR REPLACE FUNCTION words_of_release(title text, artist text, others text) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY(SELECT unnest(public.words_of(concat_ws(' ', title, artist, others)))
               UNION
               SELECT unnest(public.words_of(title)) WHERE title !~ '[[:alnum:]]'
               UNION
               SELECT unnest(public.words_of(artist)) WHERE artist !~ '[[:alnum:]]');

CREATE OR REPLACE FUNCTION words_of_account(first_name text, last_name text, company text, email citext) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN public.words_of(concat_ws(' ', first_name, last_name, company, email::text));

CREATE OR REPLACE FUNCTION list_of_credit(kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE kind WHEN 'artist' THEN 'artists' WHEN 'editor' THEN 'editors' ELSE 'contributors' END;

-- Without featured artists: "Nuit blanche (feat. Ida Roux) [Live]" is "nuit blanche [live]".
CREATE OR REPLACE FUNCTION bare_title(title text, version text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(public.fold(concat_ws(' ', title, version)),
                        '[\s([]+(feat|ft|featuring)(\.\s*|\s+)[^][()]*[])]?', ' ', 'g');

-- Ignores case, accents, punctuation and featured artists.
CREATE OR REPLACE FUNCTION title_key(title text, version text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT left(coalesce(nullif(regexp_replace(bare, '[^[:alnum:]]+', '', 'g'), ''),
                               regexp_replace(bare, '\s+', '', 'g')), 300)
            FROM (SELECT public.bare_title(title, version) AS bare) AS b);

-- Ignores articles, plurals and doubled letters, in longer titles vowels and order. Numbers count, Roman ones too: the
-- second part is not the third. Null for short titles.
CREATE OR REPLACE FUNCTION sound_key(title text, version text) RETURNS text
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = public AS $$
DECLARE
  words text := regexp_replace(bare_title(title, version), '[^[:alnum:]]+', ' ', 'g');
  numbers text := '';
  letters text;
  consonants text;
BEGIN
  words := regexp_replace(words, '\m(l|le|la|les|un|une|d|de|des|du|the|a|an|et|and)\M', '', 'g');
  IF words ~ '\m([0-9]+|[ivx]+)\M' THEN
    SELECT coalesce(string_agg(digits[1], '.'), '') INTO numbers FROM regexp_matches(words, '\m([0-9]+|[ivx]+)\M', 'g') AS digits;
    words := regexp_replace(words, '\m([0-9]+|[ivx]+)\M', '', 'g');
  END IF;
  letters := regexp_replace(regexp_replace(replace(regexp_replace(words, '(es|[sexz])\M', '', 'g'), ' ', ''), '(.)\1+', '\1', 'g'),
                            '[^[:alnum:]]', '', 'g');
  IF length(letters) < 3 THEN RETURN NULL; END IF;
  consonants := translate(letters, 'aeiouyhw', '');
  IF length(consonants) >= 6 THEN
    SELECT string_agg(letter, '' ORDER BY letter COLLATE "C") INTO letters FROM string_to_table(consonants, NULL) AS letter;
  END IF;
  RETURN left(letters, 200) || '#' || left(numbers, 40);
END $$;

CREATE OR REPLACE FUNCTION similar_key(artist text, title text, version text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '~' || left(artist, 80) || ':' || public.sound_key(title, version);

-- EUR of an income. The division keeps 24 decimals and is rounded to 6 once; numeric division would round at the
-- sixteenth digit first.
CREATE OR REPLACE FUNCTION share_eur(usd numeric, percent numeric, rate numeric) RETURNS numeric
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN round((usd * percent)::numeric(60, 24) / (100 * rate), 6);

-- Dollars at an import's rates; nothing else converts them. The division keeps 30 decimals and is rounded to 10 once.
CREATE OR REPLACE FUNCTION to_usd(amount numeric, currency text, usd_rate numeric, rate numeric) RETURNS numeric
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN round(CASE WHEN currency = 'USD' THEN amount ELSE (amount * usd_rate)::numeric(80, 30) / rate END, 10);

-- Values that differ between two states; nested fields by path, lists member by member.
CREATE OR REPLACE FUNCTION journal_values(before jsonb, after jsonb) RETURNS TABLE (path text, value text)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  WITH RECURSIVE nodes (path, node) AS (
    SELECT e.key, e.value
      FROM (VALUES (before, after), (after, before)) AS s (own, other)
     CROSS JOIN jsonb_each(CASE jsonb_typeof(s.own) WHEN 'object' THEN s.own ELSE '{}' END) AS e
     WHERE nullif(e.value, 'null') IS DISTINCT FROM nullif(s.other -> e.key, 'null')
    UNION ALL
    SELECT inside.path, inside.node
      FROM nodes n
     CROSS JOIN LATERAL (
       SELECT n.path || '.' || o.key, o.value FROM jsonb_each(CASE jsonb_typeof(n.node) WHEN 'object' THEN n.node ELSE '{}' END) AS o
       UNION ALL
       SELECT n.path, a.value FROM jsonb_array_elements(CASE jsonb_typeof(n.node) WHEN 'array' THEN n.node ELSE '[]' END) AS a (value)
     ) AS inside (path, node))
  SELECT n.path, n.node #>> '{}' FROM nodes n WHERE jsonb_typeof(n.node) NOT IN ('object', 'array');
END;

-- As the journal shows it, with and without spaces: `1234.5` is `1 234.50`. Sums of reports read to the cent unless
-- that is zero; rates have at least four decimals.
CREATE OR REPLACE FUNCTION grouped_number(value numeric, path text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (SELECT concat_ws(' ', shown, replace(shown, ' ', ''))
            FROM (SELECT replace(
                           CASE WHEN path = 'rate' THEN to_char(value, 'FM999,999,999,999,999,990.0000999999')
                                WHEN path ~ '(Eur|Usd)$' AND abs(value) > 0.005 THEN to_char(value, 'FM999,999,999,999,999,990.00')
                                ELSE to_char(value, 'FM999,999,999,999,999,990.009999') END,
                           ',', ' ') AS shown) AS s);

-- Numbers, months and days in French; texts, and numbers without decimals, also as stored.
CREATE OR REPLACE FUNCTION journal_text(value text, path text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE
    WHEN value = 'true' THEN 'oui'
    WHEN value = 'false' THEN 'non'
    WHEN value ~ '^-?\d{1,18}$' THEN value || ' ' || grouped_number(value::numeric, path)
    WHEN value ~ '^-?\d{1,18}\.\d{1,20}$' THEN grouped_number(value::numeric, path)
    ELSE concat_ws(' ',
      CASE path WHEN 'declarations' THEN regexp_replace(value, '(\.\d{2}(\d*[1-9])?)0+(?!\d)', '\1', 'g')
                WHEN 'confirmedRates' THEN regexp_replace(value, '(\.\d{4}(\d*[1-9])?)0+(?!\d)', '\1', 'g')
                ELSE value END,
      (SELECT string_agg(concat_ws(' ', m[2] || '/' || m[1],
                (ARRAY['janvier janv.', 'février févr.', 'mars', 'avril avr.', 'mai', 'juin', 'juillet juil.', 'août', 'septembre sept.',
                       'octobre oct.', 'novembre nov.', 'décembre déc.'])[m[2]::integer], m[1]), ' ')
         FROM regexp_matches(value, '(?<!\d)(\d{4})-(0[1-9]|1[0-2])(?!\d)', 'g') AS m),
      CASE WHEN value ~ '^\d{4}-\d{2}-\d{2}' THEN regexp_replace(value, '^(\d{4})-(\d{2})-(\d{2}).*$', '\3/\2/\1') END)
  END;

CREATE OR REPLACE FUNCTION journal_fields(before jsonb, after jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY(SELECT DISTINCT regexp_replace(v.path, '^contractTemplates\.[^.]+\.', 'contractTemplates.') FROM journal_values(before, after) AS v);

-- The record's number, its names in the entry, and what changed. Not the numbers of records shown by name. Batches are
-- shown from 1. Decimals have a dot: typed commas separate words.
CREATE OR REPLACE FUNCTION journal_search(entity text, entity_id text, before jsonb, after jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(fold(concat_ws(' ', 'n°',
    CASE WHEN entity = 'payout' THEN 'V-' || lpad(entity_id, greatest(6, length(entity_id)), '0') WHEN entity IN ('month', 'exchange_rate') THEN journal_text(entity_id, '')
         ELSE entity_id END,
    (SELECT string_agg(concat_ws(' ', s.state ->> 'fname', s.state ->> 'lname', s.state ->> 'title', s.state ->> 'name', s.state ->> 'fullname',
                                 s.state ->> 'fileName', s.state ->> 'file', s.state ->> 'messageId', s.state ->> 'email'), ' ')
       FROM (VALUES (before), (after)) AS s (state)),
    (SELECT string_agg(CASE WHEN v.path = 'batch' AND v.value ~ '^\d{1,9}$' THEN (v.value::integer + 1)::text
                            WHEN v.path = 'payoutId' THEN 'V-' || lpad(v.value, greatest(6, length(v.value)), '0')
                            ELSE journal_text(v.value, v.path) END, ' ')
       FROM journal_values(before, after) AS v
      WHERE v.path NOT IN ('userId', 'referrerId', 'referredId', 'trackId', 'trackIds', 'libraryId', 'billingAccountId')))), '(?<=\d),(?=\d)', '.', 'g');
