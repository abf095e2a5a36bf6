import type { Client } from 'pg';

/** Privileges as one sorted line; the owner has a fixed name. */
const rights = (acl: string) => `(
  SELECT string_agg(format('%s=%s%s', CASE e.grantee WHEN 0 THEN 'everybody' ELSE nullif(g.rolname, current_user) END,
                           e.privilege_type, CASE WHEN e.is_grantable THEN '*' END), ' ' ORDER BY g.rolname, e.privilege_type)
    FROM aclexplode(${acl}) e LEFT JOIN pg_roles g ON g.oid = e.grantee)`;
const owner = (role: string) => `nullif(pg_get_userbyid(${role}), current_user)`;
const isOurs = (oid: string, classname: string) =>
  `NOT EXISTS (SELECT FROM pg_depend x WHERE x.objid = ${oid} AND x.classid = '${classname}'::regclass AND x.deptype = 'e')`;
const lines = (query: string) => `(SELECT string_agg(line, E'\\n' ORDER BY line) FROM (${query}) AS l (line))`;

/** All objects of the schema public, one row each. */
const objectsQuery = `
  SELECT 'schema ' || nspname AS object, concat_ws(E'\\n', ${rights('nspacl')}, obj_description(oid)) AS text
    FROM pg_namespace WHERE nspname = 'public'
  UNION ALL
  SELECT 'extension ' || extname, extnamespace::regnamespace::text FROM pg_extension WHERE extname <> 'plpgsql'
  UNION ALL
  SELECT format('default rights %s %s', defaclnamespace::regnamespace, defaclobjtype), ${rights('defaclacl')}
    FROM pg_default_acl
  UNION ALL
  SELECT 'type ' || oid::regtype,
         concat_ws(' ', typtype, format_type(typbasetype, typtypmod), typdefault,
                   (SELECT string_agg(enumlabel, ' ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
    FROM pg_type t
   WHERE typnamespace = 'public'::regnamespace AND typtype NOT IN ('b', 'c') AND ${isOurs('t.oid', 'pg_type')}
  UNION ALL
  SELECT 'function ' || p.oid::regprocedure,
         concat_ws(E'\\n', ${owner('proowner')}, pg_get_functiondef(p.oid), ${rights('proacl')}, obj_description(p.oid, 'pg_proc'))
    FROM pg_proc p
   WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a' AND ${isOurs('p.oid', 'pg_proc')}
  UNION ALL
  SELECT 'sequence ' || c.relname,
         concat_ws(' ', ${owner('relowner')}, format_type(seqtypid, NULL), seqstart, seqincrement, seqmin, seqmax, seqcache,
                   seqcycle, ${rights('relacl')}, pg_sequence_last_value(c.oid),
                   (SELECT format('%s %s.%s', d.deptype, refobjid::regclass, attname) FROM pg_depend d
                      JOIN pg_attribute a ON a.attrelid = refobjid AND a.attnum = refobjsubid
                     WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.refobjsubid > 0))
    FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid WHERE relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT CASE relkind WHEN 'v' THEN 'view ' WHEN 'r' THEN 'table ' ELSE relkind::text || ' ' END || c.relname,
         concat_ws(E'\\n',
           concat_ws(' ', ${owner('relowner')}, relpersistence, relrowsecurity, relforcerowsecurity, relreplident, reloptions,
                     am.amname, reltablespace, ${rights('relacl')}, obj_description(c.oid, 'pg_class')),
           -- Columns stay in their order; what was dropped between them leaves no trace.
           (SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), nullif(attcollation, 100)::regcollation,
                                attnotnull, attidentity, attgenerated, pg_get_expr(adbin, adrelid), attstorage,
                                attcompression, attstattarget, attoptions, ${rights('attacl')},
                                col_description(attrelid, attnum)), E'\\n' ORDER BY attnum)
              FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
           ${lines(`SELECT concat_ws(' ', conname, pg_get_constraintdef(oid), convalidated, obj_description(oid, 'pg_constraint'))
                      FROM pg_constraint WHERE conrelid = c.oid`)},
           ${lines(`SELECT concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisclustered, indisreplident,
                                     (SELECT array_agg(attstattarget ORDER BY attnum) FROM pg_attribute
                                       WHERE attrelid = indexrelid AND attstattarget IS NOT NULL),
                                     obj_description(indexrelid, 'pg_class'))
                      FROM pg_index WHERE indrelid = c.oid`)},
           ${lines(`SELECT concat_ws(' ', pg_get_triggerdef(oid), tgenabled, obj_description(oid, 'pg_trigger'))
                      FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal`)},
           ${lines(`SELECT pg_get_ruledef(oid) FROM pg_rewrite WHERE ev_class = c.oid`)},
           ${lines(`SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxrelid = c.oid`)},
           ${lines(`SELECT concat_ws(' ', polname, polcmd, polpermissive, polroles::regrole[],
                                     pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
                      FROM pg_policy WHERE polrelid = c.oid`)})
    FROM pg_class c LEFT JOIN pg_am am ON am.oid = relam
   WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p', 'f') AND ${isOurs('c.oid', 'pg_class')}`;

/** The rows of all tables that have any, without timestamps of creation. */
async function describeRows(client: Client): Promise<[string, string][]> {
  const { rows: tables } = await client.query<{ name: string; columns: string }>(
    `SELECT quote_ident(relname) AS name, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND atttypid <> 'timestamptz'::regtype GROUP BY relname`,
  );
  const described: [string, string][] = [];
  for (const { name, columns } of tables) {
    const { rows } = await client.query<{ text: string | null }>(
      `SELECT ${lines(`SELECT concat_ws(' ', ${columns}) FROM ${name}`)} AS text`,
    );
    if (rows[0]?.text != null) described.push([`rows of ${name}`, rows[0].text]);
  }
  return described;
}

/** Describes a database object by object, equal for equal databases however they were created. */
export async function describeDatabase(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ object: string; text: string | null }>(objectsQuery);
  const objects = rows.map(({ object, text }): [string, string] => [object, text ?? '']);
  return new Map([...objects, ...(await describeRows(client))].sort(([one], [other]) => (one < other ? -1 : 1)));
}
