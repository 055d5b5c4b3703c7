/** Tests which databases a build can use: those that newer builds have migrated only with compatible migrations. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { describe, expect, inject, it, vi } from 'vitest'
import { compareSchema, type ExtraMigrations, migrate, readAppliedMigrations } from '#server/db/migrate.ts'
import { listMigrationNames, loadMigrations } from '#server/db/migrations/index.ts'
import { latestMigration } from '#server/db/tables/tables.ts'
import { openBare } from '#tests/support/server/bare-database.ts'
import { openTestDatabase } from '#tests/support/server/database.ts'

vi.setConfig({ testTimeout: 90_000 })

const folder = join(import.meta.dirname, '../../../server/db/migrations')
const names = listMigrationNames()

/** Returns what a migration of the kind must not take away from servers of the previous build. */
async function readCatalogue(kysely: Kysely<never>) {
  const { rows: columns } = await sql<{ column: string; type: string; isRequired: boolean }>`
    select attrelid::regclass || '.' || attname as column, format_type(atttypid, atttypmod) as type,
      attnotnull and not atthasdef and attidentity = '' as "isRequired"
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S') and attnum > 0 and not attisdropped`.execute(
    kysely,
  )
  const { rows: constraints } = await sql<{ table: string; text: string }>`
    select conrelid::regclass::text as table, conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
    where connamespace = 'public'::regnamespace and conrelid <> 0 and contype <> 'n'
    union all select tablename, indexdef from pg_indexes where schemaname = 'public' and indexdef like 'CREATE UNIQUE%'`.execute(
    kysely,
  )
  const { rows: functions } = await sql<{ name: string }>`
    select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace`.execute(kysely)
  return {
    columns: new Map(columns.map(({ column, ...rest }) => [column, rest])),
    constraints,
    functions: new Set(functions.map(({ name }) => name)),
  }
}

type Catalogue = Awaited<ReturnType<typeof readCatalogue>>

const getTable = (column: string) => column.split('.')[0] ?? ''

/** Returns what is not compatible between two states of the database. */
function findBreaks(before: Catalogue, after: Catalogue): string[] {
  const formerTables = new Set([...before.columns.keys()].map(getTable))
  const formerConstraints = new Set(before.constraints.map(({ table, text }) => `${table} ${text}`))
  return [
    ...[...before.columns].flatMap(([column, { type, isRequired }]) => {
      const current = after.columns.get(column)
      if (!current) return [`${column} disappears`]
      if (current.type !== type) return [`${column} becomes ${current.type}`]
      return current.isRequired && !isRequired ? [`${column} becomes not null`] : []
    }),
    ...[...after.columns].flatMap(([column, { isRequired }]) =>
      isRequired && !before.columns.has(column) && formerTables.has(getTable(column))
        ? [`${column} is new, not null, and has no default`]
        : [],
    ),
    ...after.constraints.flatMap(({ table, text }) =>
      formerTables.has(table) && !formerConstraints.has(`${table} ${text}`) ? [`${table} gets ${text}`] : [],
    ),
    ...[...before.functions].flatMap((name) => (after.functions.has(name) ? [] : [`${name} disappears`])),
  ]
}

const createMigration = (kind: 'compatible' | 'breaking', ...statements: string[]): ExtraMigrations[string] => ({
  kind,
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})

const breakingStatements = [
  ['alter table fact drop column value', 'fact.value disappears'],
  ['alter table fact rename column value to text', 'fact.value disappears'],
  ['drop table fact', 'fact.value disappears'],
  ['alter table fact alter column value type varchar(9)', 'fact.value becomes character varying(9)'],
  ['alter table fact add column extra integer not null', 'fact.extra is new, not null, and has no default'],
  ['alter table company alter column addr1 set not null', 'company.addr1 becomes not null'],
  [
    'create unique index strict on fact (value)',
    'fact gets CREATE UNIQUE INDEX strict ON public.fact USING btree (value)',
  ],
  ["alter table fact add constraint strict check (value <> 'x')", "fact gets strict CHECK ((value <> 'x'::text))"],
] as const

const addingStatements = [
  'create table extra (id integer primary key, text text not null)',
  'alter table fact add column note text, add column count integer not null default 0',
  'create index quick on fact (value)',
]

describe('every migration', () => {
  it('exports its kind', () => {
    const exportsKind = (name: string) =>
      /^export const kind = '(compatible|breaking)'$/m.test(readFileSync(join(folder, `${name}.ts`), 'utf8'))
    expect(names.filter((name) => !exportsKind(name))).toEqual([])
  })

  describe.skipIf(!inject('postgresUrl'))('that is compatible', () => {
    it('only adds', async () => {
      const migrations = await loadMigrations(names)
      const database = await openBare('postgres')
      const kysely = database.kysely as unknown as Kysely<never>
      for (const [index, name] of names.entries()) {
        if (migrations[name]?.kind !== 'compatible') continue
        await migrate(database.kysely, names[index - 1])
        const before = await readCatalogue(kysely)
        await migrate(database.kysely, name)
        expect([name, ...findBreaks(before, await readCatalogue(kysely))]).toEqual([name])
      }
      await database.close()
    })

    it('may not take something away, and may add tables, columns with a default, and indexes', async () => {
      const database = await openTestDatabase('postgres')
      const kysely = database.kysely as unknown as Kysely<never>
      const before = await readCatalogue(kysely)
      for (const [statement, expected] of breakingStatements) {
        const transaction = await kysely.startTransaction().execute()
        await sql.raw(statement).execute(transaction)
        expect(findBreaks(before, await readCatalogue(transaction))).toContain(expected)
        await transaction.rollback().execute()
      }
      for (const statement of addingStatements) await sql.raw(statement).execute(kysely)
      expect(findBreaks(before, await readCatalogue(kysely))).toEqual([])
      await database.close()
    })
  })
})

describe.skipIf(!inject('postgresUrl'))('a migration of a table that another statement uses', () => {
  const migrations = {
    '998-free': createMigration('compatible', 'create table extra (id integer)'),
    '999-locked': createMigration('compatible', 'alter table company add column extra integer'),
  }
  const shortWait = { lockMs: 20, pauseMs: 5 }

  it('is tried again, and lets other statements pass meanwhile', async () => {
    const { kysely, close } = await openTestDatabase('postgres')
    const holder = await kysely.startTransaction().execute()
    await sql`lock table company in access share mode`.execute(holder)
    const readDuringPauses: unknown[] = []
    const names = await migrate(kysely, undefined, migrations, {
      ...shortWait,
      // The connection of the holder is free again before the next attempt, or before a later one.
      onPause: () => {
        readDuringPauses.push(sql`select count(*) from company`.execute(kysely))
        if (readDuringPauses.length === 3) void holder.rollback().execute()
      },
      maxAttempts: 1000,
    })
    expect(names).toEqual(['998-free', '999-locked'])
    expect((await Promise.all(readDuringPauses)).length).toBeGreaterThanOrEqual(3)
    await close()
  })

  it('fails after a number of attempts without an effect, and says what to do', async () => {
    const { kysely, close } = await openTestDatabase('postgres')
    const holder = await kysely.startTransaction().execute()
    await sql`lock table company in access share mode`.execute(holder)
    await expect(migrate(kysely, undefined, migrations, { ...shortWait, maxAttempts: 2 })).rejects.toThrow(
      'Could not migrate the database (999-locked): another statement did not release a table in 2 attempts; end it, and start again',
    )
    await holder.rollback().execute()
    expect((await readAppliedMigrations(kysely)).at(-1)?.name).toBe(latestMigration)
    await close()
  })
})

describe.skipIf(!inject('postgresUrl'))('a database of a newer version', () => {
  it('is used if its newer migrations are compatible, and refused otherwise', async () => {
    const { kysely, close } = await openTestDatabase('postgres')
    expect(await migrate(kysely)).toEqual([])
    const compatible = { '998-compatible': createMigration('compatible', 'create table extra (id integer)') }
    expect(await migrate(kysely, undefined, compatible)).toEqual(['998-compatible'])
    const applied = await readAppliedMigrations(kysely)
    expect(applied.at(-1)).toEqual({ name: '998-compatible', kind: 'compatible' })
    // This build does not know the migration.
    expect(compareSchema(applied)).toEqual({ missingNames: [], newerNames: ['998-compatible'] })
    expect(await migrate(kysely)).toEqual([])

    const both = { ...compatible, '999-breaking': createMigration('breaking', 'alter table extra rename to other') }
    expect(await migrate(kysely, undefined, both)).toEqual(['999-breaking'])
    await expect(migrate(kysely)).rejects.toThrow(
      'A newer version of the portal has migrated the database (to 999-breaking): start that version.',
    )
    await close()
  })

  it('is refused if the kind is unknown, or if it lacks a migration of this version', () => {
    const applied = names.map((name) => ({ name, kind: 'breaking' }))
    expect(() => compareSchema([...applied, { name: '999-of-tomorrow', kind: null }])).toThrow(/to 999-of-tomorrow/)
    expect(() => compareSchema([...applied.slice(0, -1), { name: '999-of-tomorrow', kind: 'compatible' }])).toThrow(
      `The database has 999-of-tomorrow of another version of the portal, but lacks ${latestMigration} of this one: start the newer version.`,
    )
  })
})
