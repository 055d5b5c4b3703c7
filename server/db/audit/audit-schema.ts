/**
 * Checks that nobody has changed the schema of the audit tables. A policy, trigger, rule or view could make the database return other data
 * than its rows.
 */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'

const auditTables = ['audit_archive', 'audit_checkpoint', 'audit_entry', 'audit_leaf', 'audit_pending', 'audit_tile']
const auditFunctions = ['company_of_intent', 'grow_audit_tile', 'keep_audit', 'remove_archived_audit']
const ownCompanyCondition = `(company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)`

/** The schema as the migrations create it. A migration that changes it must also change these lines. */
const expectedLines: readonly string[] = [
  'default audit_checkpoint is_permanent false',
  "default audit_entry id nextval('audit_entry_id'::regclass)",
  'function company_of_intent true search_path=pg_catalog, public, pg_temp 59706e995e089959032cbf130f5d6067bc91a0ad7a86b2f89d7806f79260510d',
  'function grow_audit_tile false d7e36bd7457338d67447b10c0a46cdae56856a6b57a22619b84fabcd6fce4825',
  'function keep_audit false 781e0b164594fbc6554aaa41bb031042b4a5b97774ae7ed3d29959f0a5c7152a',
  'function remove_archived_audit true search_path=pg_catalog, public, pg_temp d127a9e6b320ae027a473dc896516b9c9ee7d62b612074fc900360d2231b560a',
  ...auditTables.map((table) => `key ${table} ${table}_pkey`),
  'key audit_leaf audit_leaf_entry_id_key',
  ...auditTables.map((table) => `policy ${table} all_companies * true portal_system true true`),
  ...auditTables.map(
    (table) => `policy ${table} own_company * true portal_app ${ownCompanyCondition} ${ownCompanyCondition}`,
  ),
  ...['audit_archive', 'audit_entry', 'audit_leaf'].map((table) => `policy ${table} retention * true owner true true`),
  ...auditTables.map((table) => `table ${table} r true true`),
  'trigger audit_entry keep_audit 58 O keep_audit',
  'trigger audit_leaf keep_audit 58 O keep_audit',
  'trigger audit_tile grow_audit_tile 19 O grow_audit_tile',
]

/**
 * Returns unexpected and missing objects of the audit tables, tables of the same names in other schemas, and `search_path` if another
 * schema is searched before `pg_catalog`.
 */
export async function findSchemaFaults(db: DatabaseHandle): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with audited as (
      select class.oid, class.relname as name, class.relkind, class.relrowsecurity, class.relforcerowsecurity
      from pg_catalog.pg_class class
      where class.relname = any(${auditTables}::text[]) and class.relnamespace = 'public'::regnamespace)
    select concat_ws(' ', 'table', name, relkind, relrowsecurity::text, relforcerowsecurity::text) as line from audited
    union all
    select concat_ws(' ', 'default', name, attname, nullif(attgenerated::text, ''), nullif(attidentity::text, ''),
      pg_get_expr(adbin, adrelid))
    from audited join pg_catalog.pg_attribute on attrelid = audited.oid and attnum > 0 and not attisdropped
    left join pg_catalog.pg_attrdef on adrelid = attrelid and adnum = attnum
    where atthasdef or attgenerated <> '' or attidentity <> ''
    union all
    select concat_ws(' ', 'key', name, conname) from audited
    join pg_catalog.pg_constraint on conrelid = audited.oid and contype in ('p', 'u')
    union all
    select concat_ws(' ', 'trigger', name, tgname, tgtype, tgenabled, tgfoid::regproc) from audited
    join pg_catalog.pg_trigger on tgrelid = audited.oid
    union all
    select concat_ws(' ', 'rule', name, rulename) from audited join pg_catalog.pg_rewrite on ev_class = audited.oid
    union all
    select concat_ws(' ', 'inherits', name) from audited
    join pg_catalog.pg_inherits on inhparent = audited.oid or inhrelid = audited.oid
    union all
    select concat_ws(' ', 'policy', name, polname, polcmd, polpermissive::text, (
        select string_agg(coalesce(rolname, 'public'), ',' order by rolname) from (
          select case when given = 0 then 'public' when rolname in ('portal_app', 'portal_system') then rolname else 'owner' end
          from unnest(polroles) given left join pg_catalog.pg_roles role on role.oid = given) listed(rolname)),
      pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    from audited join pg_catalog.pg_policy on polrelid = audited.oid
    union all
    select concat_ws(' ', 'function', proname, prosecdef::text, array_to_string(proconfig, ';'),
      encode(sha256(convert_to(prosrc, 'UTF8')), 'hex'))
    from pg_catalog.pg_proc where proname = any(${auditFunctions}::text[]) and pronamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', 'another', nspname, relname) from pg_catalog.pg_class class
    join pg_catalog.pg_namespace space on space.oid = class.relnamespace
    where relname = any(${auditTables}::text[]) and nspname <> 'public'
      and (nspname in ('portal_app', 'portal_system', session_user) or nspname = any(current_schemas(true)))
    union all
    select 'search_path ' || current_setting('search_path')
    where (current_schemas(true))[1] <> 'pg_catalog' and (current_schemas(true))[1] not like 'pg\\_temp%'`.execute(db)
  const actualLines = new Set(rows.map(({ line }) => line))
  return [
    ...[...actualLines].filter((line) => !expectedLines.includes(line)),
    ...expectedLines.filter((line) => !actualLines.has(line)),
  ]
}
