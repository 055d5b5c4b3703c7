/** Opens the database of a sample instance in a folder: one SQLite file, shared by all tasks of the instance. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SampleStore, StoreDialect, StoreQueries, StoreRow } from '#demo/sample-instance/storage/store.ts'

const schema = `
create table if not exists users (
  id integer primary key,
  name text not null unique collate nocase,
  -- Null: nobody can sign in as this user yet.
  password text,
  is_admin integer not null,
  created integer not null
) strict;
create table if not exists sessions (
  -- SHA-256 of what the cookie holds.
  id text primary key,
  user_id integer not null references users on delete cascade,
  csrf text not null,
  created integer not null,
  seen integer not null
) strict;
-- Of earlier builds.
drop table if exists sign_in_failures;
create table if not exists sign_in_attempts (
  subject text primary key,
  -- Hash of the name; empty: of an address.
  account text not null,
  failures integer not null,
  since integer not null,
  not_before integer not null
) strict;
create index if not exists sign_in_attempts_account on sign_in_attempts (account);
create table if not exists known_devices (
  -- SHA-256 of what the cookie holds.
  id text not null,
  user_id integer not null references users on delete cascade,
  seen integer not null,
  primary key (id, user_id)
) strict;
create table if not exists known_addresses (
  user_id integer not null references users on delete cascade,
  address text not null,
  seen integer not null,
  primary key (user_id, address)
) strict;
create table if not exists items (
  id integer primary key,
  code text not null unique collate nocase,
  name text not null,
  -- In thousandths.
  quantity integer not null,
  unit text not null,
  version integer not null,
  changed integer not null
) strict;
`

export const storeFileName = 'instance.db'

const dialect: StoreDialect = {
  // The columns that are compared have the collation `nocase`.
  isSameText: (column) => `${column} = ?`,
  like: 'like',
  orderByText: (column) => column,
}

/** Opens the database. Creates it if necessary, with a user `admin` who has no password. Throws if the file is damaged. */
export async function openSqliteStore(folder: string, now: number): Promise<SampleStore> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(folder, storeFileName), { enableForeignKeyConstraints: true, timeout: 5000 })
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full;')
    const store = createStore(database)
    await store.runInTransaction(async (queries) => {
      createSchema(database)
      await queries.run(
        'insert into users (name, is_admin, created) values (?, 1, ?) on conflict do nothing',
        'admin',
        now,
      )
    })
    return store
  } catch (error) {
    database.close()
    throw error
  }
}

export const createSchema = (database: DatabaseSync): void => database.exec(schema)

function createStore(database: DatabaseSync): SampleStore {
  const queries: StoreQueries = {
    dialect,
    all: async (statement, ...values) => database.prepare(statement).all(...values) as StoreRow[],
    get: async (statement, ...values) => database.prepare(statement).get(...values),
    run: async (statement, ...values) => Number(database.prepare(statement).run(...values).changes),
  }
  let lastWork: Promise<unknown> = Promise.resolve()

  /** The connection has one transaction at a time, so other queries wait until it has ended. */
  function runInTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = lastWork.then(work)
    lastWork = result.catch(() => undefined)
    return result
  }

  async function runTransaction<T>(work: (queries: StoreQueries) => Promise<T>): Promise<T> {
    database.exec('begin immediate')
    try {
      const result = await work(queries)
      database.exec('commit')
      return result
    } catch (error) {
      database.exec('rollback')
      throw error
    }
  }

  return {
    dialect,
    all: (statement, ...values) => runInTurn(() => queries.all(statement, ...values)),
    get: (statement, ...values) => runInTurn(() => queries.get(statement, ...values)),
    run: (statement, ...values) => runInTurn(() => queries.run(statement, ...values)),
    runInTransaction: (work) => runInTurn(() => runTransaction(work)),
    close: () => runInTurn(async () => database.close()),
  }
}
