/** Saves and restores the rows of a test database in a few statements, so that each worker creates the initial state only once. */
import { sql } from 'kysely'
import type { Database } from '#server/db/database.ts'

export interface Snapshot {
  tables: { name: string; columns: string[]; rows: Record<string, unknown>[] }[]
  sequences: { name: string; value: number }[]
  /** Value of the catalogue's counter. The migrations create its row. */
  catalogue: number
}

/** Selects the tables that tests fill, and the tables that refer to them. All others contain what the migrations inserted. */
const filledTablesQuery = sql`with recursive filled(id) as (
    select unnest('{company, portal_user, session, token, one_time_key, ticket, price_upload, attempt, idempotency, change,
      tombstone, audit_entry, audit_pending, audit_leaf, audit_tile, audit_checkpoint, audit_archive, fact, job, module, app_version, app_release, price_list, series, web_resource, money_check}'::regclass[])
    union select c.conrelid from pg_constraint c join filled on c.confrelid = filled.id where c.contype = 'f')`

/** Size of a table in bytes up to which deleting its rows is ten times faster than truncating it, although dead rows are scanned later. */
const smallBytes = 1_000_000

/** Deletes all rows as the tables' owner and restarts the sequences. The schema stays. */
export async function emptyTables({ kysely }: Database): Promise<void> {
  await kysely.connection().execute(async (db) => {
    const { rows } = await sql<{ name: string; bytes: number }>`${filledTablesQuery}
      select id::regclass::text as name, pg_relation_size(id) as bytes from filled`.execute(db)
    const filledTables = rows.filter(({ bytes }) => bytes > 0)
    const names = filledTables.map(({ name }) => name)
    const isLarge = filledTables.some(({ bytes }) => bytes > smallBytes)
    const statements = isLarge ? [`truncate ${names.join(', ')} cascade`] : names.map((name) => `delete from ${name}`)
    await sql`set session_replication_role = replica`.execute(db)
    try {
      await sql
        .raw(
          `do $$ begin ${[...statements, 'update catalogue set change = 0 where change > 0', restartSequences].map((statement) => `${statement};`).join('\n')} end $$`,
        )
        .execute(db)
    } finally {
      await sql`set session_replication_role = default`.execute(db)
    }
  })
}

const restartSequences = `perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
  from pg_sequences where last_value is not null`

export async function takeSnapshot({ kysely }: Database): Promise<Snapshot> {
  return kysely.transaction().execute(async (db) => {
    const { rows: names } = await sql<{ name: string; columns: string[] }>`${filledTablesQuery}
      select id::regclass::text as name,
        (select array_agg(attname::text) from pg_attribute
          where attrelid = id and attnum > 0 and not attisdropped and attgenerated = '') as columns
      from filled`.execute(db)
    const tables: Snapshot['tables'] = []
    for (const { name, columns } of names) {
      const { rows } = await sql<{
        row: Record<string, unknown>
      }>`select to_jsonb(t) as row from ${sql.table(name)} t`.execute(db)
      if (rows.length > 0) tables.push({ name, columns, rows: rows.map(({ row }) => row) })
    }
    const sequences = await sql<{ name: string; value: number }>`
      select format('%I.%I', schemaname, sequencename) as name, last_value as value
      from pg_sequences where last_value is not null`.execute(db)
    const { change } = await db.selectFrom('catalogue').select('change').executeTakeFirstOrThrow()
    return { tables, sequences: sequences.rows, catalogue: change }
  })
}

/** Inserts the rows of the snapshot. The tables must be empty. */
export async function restoreSnapshot({ kysely }: Database, { tables, sequences, catalogue }: Snapshot): Promise<void> {
  await kysely.transaction().execute(async (db) => {
    await sql`set local session_replication_role = replica`.execute(db)
    for (const { name, columns, rows } of tables) {
      const list = sql.join(columns.map((column) => sql.ref(column)))
      await sql`insert into ${sql.table(name)} (${list}) overriding system value
        select ${list} from jsonb_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(rows)}::jsonb)`.execute(
        db,
      )
    }
    await db.updateTable('catalogue').set({ change: catalogue }).execute()
    await sql`select setval(name::regclass, value)
      from jsonb_to_recordset(${JSON.stringify(sequences)}::jsonb) as given(name text, value bigint)`.execute(db)
  })
}
