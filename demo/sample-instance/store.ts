/** Opens the database of a sample instance: one SQLite file, shared by all tasks of the instance. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type SampleStore = DatabaseSync

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

/** Opens the database. Creates it if necessary, with a user `admin` who has no password. Throws if the file is damaged. */
export function openStore(folder: string, now: number): SampleStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const store = new DatabaseSync(join(folder, 'instance.db'), { enableForeignKeyConstraints: true, timeout: 5000 })
  try {
    store.exec('pragma journal_mode = wal; pragma synchronous = full;')
    runInTransaction(store, () => {
      store.exec(schema)
      store
        .prepare('insert into users (name, is_admin, created) values (?, 1, ?) on conflict do nothing')
        .run('admin', now)
    })
    return store
  } catch (error) {
    store.close()
    throw error
  }
}

/** Runs `work` in an immediate transaction, so that other tasks write before or after it, never during it. */
export function runInTransaction<T>(store: SampleStore, work: () => T): T {
  store.exec('begin immediate')
  try {
    const result = work()
    store.exec('commit')
    return result
  } catch (error) {
    store.exec('rollback')
    throw error
  }
}
