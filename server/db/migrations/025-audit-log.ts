/**
 * Replaces the audit trail by a provable log (RFC 6962): entries with fixed bytes, their positions in the log of their company, hashes of
 * the tree in tiles, signed checkpoints. Also adds failed sign-ins, which are counted before they become an entry. The old chain of hashes,
 * which needed a lock for every write of a company, is verified one last time. Its entries become leaves in the order of their ids when the
 * log is next written.
 */
import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { type AuditMenu, type LeafValue, buildSearchText } from '#domain/audit-log/leaf.ts'
import { normaliseText } from '#domain/text.ts'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence audit_entry_id as integer`.execute(db)
  await sql`
    create table audit_entry (
      id integer primary key default nextval('audit_entry_id'),
      company_id integer not null,
      actor_company_id integer,
      actor jsonb,
      code text collate "C" not null,
      operation text collate "C" not null,
      exec_user_id integer,
      exec_user_name text not null,
      end_time bigint not null,
      status smallint not null check (status in (0, -1)),
      info jsonb not null,
      intent text collate "C",
      request_id text not null,
      search text collate "C" not null,
      leaf text collate "C" not null
    )`.execute(db)
  await sql`alter sequence audit_entry_id owned by audit_entry.id`.execute(db)
  await sql`
    create table audit_pending (
      entry_id integer primary key,
      company_id integer not null
    )`.execute(db)
  await sql`create index audit_pending_company on audit_pending (company_id, entry_id)`.execute(db)
  await sql`
    create table audit_leaf (
      company_id integer not null,
      log_index integer not null check (log_index >= 0),
      entry_id integer not null unique,
      primary key (company_id, log_index)
    )`.execute(db)
  await sql`
    create table audit_tile (
      company_id integer not null,
      level smallint not null check (level between 0 and 7),
      tile_index integer not null check (tile_index >= 0),
      hashes bytea not null check (length(hashes) % 32 = 0 and length(hashes) between 32 and 8192),
      primary key (company_id, level, tile_index)
    )`.execute(db)
  await sql`
    create table audit_checkpoint (
      company_id integer not null,
      size integer not null check (size > 0),
      note text not null,
      end_time bigint not null,
      kept boolean not null default false,
      mail_time bigint,
      primary key (company_id, size)
    )`.execute(db)

  await sql`
    create table failed_sign_in (
      user_id integer not null references portal_user (id),
      company_id integer not null references company (id),
      network text collate "C" not null,
      since bigint not null,
      until bigint not null,
      count integer not null,
      primary key (user_id, network)
    )`.execute(db)
  await sql`create index failed_sign_in_since on failed_sign_in (since)`.execute(db)
  await fence(db, 'failed_sign_in', { app: [], system: ['select', 'insert', 'update', 'delete'] })

  await fence(db, 'audit_entry', { app: ['select', 'insert'], system: ['select', 'insert'] })
  await fence(db, 'audit_pending', { app: ['select', 'insert'], system: ['select', 'insert', 'delete'] })
  await fence(db, 'audit_leaf', { app: ['select'], system: ['select', 'insert'] })
  await fence(db, 'audit_tile', { app: ['select'], system: ['select', 'insert', 'update'] })
  await fence(db, 'audit_checkpoint', { app: ['select'], system: ['select', 'insert', 'update', 'delete'] })
  await sql`grant usage on sequence audit_entry_id to portal_app, portal_system`.execute(db)

  await appendOnly(db)
  await takeOver(db)
  await indexes(db)
  await findIntents(db)
  await retention(db)
}

/** Forbids all statements that change or delete entries. A tile may only grow at its end (S-91). */
async function appendOnly(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function keep_audit() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('app.audit_archived', true) = tg_relid::regclass::text
        and pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
        return null;
      end if;
      raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  for (const table of ['audit_entry', 'audit_leaf'])
    await sql`
      create trigger keep_audit before update or delete or truncate on ${sql.table(table)}
      for each statement execute function keep_audit()`.execute(db)
  await sql`
    create function grow_audit_tile() returns trigger language plpgsql as $$
    begin
      if (new.company_id, new.level, new.tile_index) is distinct from (old.company_id, old.level, old.tile_index)
        or substring(new.hashes for length(old.hashes)) is distinct from old.hashes then
        raise exception 'a tile of the audit trail only grows' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger grow_audit_tile before update on audit_tile
    for each row execute function grow_audit_tile()`.execute(db)
}

/** Creates a function that finds a company by intent: the company in whose log users of the caller's company acted. */
async function findIntents(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function company_of_intent(given text) returns integer language sql stable
    security definer set search_path = pg_catalog, public, pg_temp as $$
      select company_id from public.audit_entry where intent = given
        and actor_company_id = nullif(current_setting('app.company', true), '')::integer limit 1
    $$`.execute(db)
  const name = sql`company_of_intent(text)`
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function ${name} owner to portal_system`.execute(db)
  await sql`revoke execute on function ${name} from public`.execute(db)
  await sql`grant execute on function ${name} to portal_app, portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
}

/**
 * Creates the only function that deletes entries: complete tiles at the beginning, at least a year old, after they were written to an
 * archive. The hashes stay, so the log can still be proven. It runs as the owner of the tables, and no role of the application can become
 * the owner.
 */
async function retention(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_archive (
      company_id integer not null,
      from_index integer not null,
      to_index integer not null,
      sha256 text collate "C" not null check (sha256 ~ '^[0-9a-f]{64}$'),
      end_time bigint not null,
      primary key (company_id, from_index)
    )`.execute(db)
  await fence(db, 'audit_archive', { app: ['select'], system: ['select'] })
  for (const table of ['audit_entry', 'audit_leaf', 'audit_archive'])
    await sql`create policy retention on ${sql.table(table)} to current_user using (true) with check (true)`.execute(db)
  await sql`
    create function remove_archived_audit(company integer, start integer, stop integer, digest text, moment bigint)
    returns integer language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      removed integer;
      newest bigint;
    begin
      if start % 256 <> 0 or stop % 256 <> 0 or stop <= start
        or start <> coalesce((select max(to_index) from public.audit_archive where company_id = company), 0)
        or (select count(*) from public.audit_leaf where company_id = company and log_index < stop) <> stop - start
      then
        raise exception 'only whole tiles at the beginning can go' using errcode = 'insufficient_privilege';
      end if;
      select max(entry.end_time) into newest from public.audit_leaf place
        join public.audit_entry entry on entry.id = place.entry_id
        where place.company_id = company and place.log_index < stop;
      if newest > (extract(epoch from now()) * 1000)::bigint - 365::bigint * 86400000 then
        raise exception 'the audit trail is kept for a year at least' using errcode = 'insufficient_privilege';
      end if;
      insert into public.audit_archive values (company, start, stop, digest, moment);
      perform set_config('app.audit_archived', 'audit_entry', true);
      delete from public.audit_entry where id in
        (select entry_id from public.audit_leaf where company_id = company and log_index < stop);
      get diagnostics removed = row_count;
      perform set_config('app.audit_archived', 'audit_leaf', true);
      delete from public.audit_leaf where company_id = company and log_index < stop;
      perform set_config('app.audit_archived', '', true);
      return removed;
    end $$`.execute(db)
  const name = sql`remove_archived_audit(integer, integer, integer, text, bigint)`
  await sql`revoke execute on function ${name} from public`.execute(db)
  await sql`grant execute on function ${name} to portal_system`.execute(db)
}

interface OldEntry {
  id: number
  company_id: number
  code: string
  operation: string
  exec_user_id: number | null
  exec_user_name: string
  end_time: number | string
  status: 0 | -1
  info: Record<string, LeafValue>
  intent: string | null
  request_id: string
}

const pieceRows = 1_000

async function takeOver(db: Kysely<unknown>): Promise<void> {
  const newest = await asSystem(db, async () => {
    const { rows } = await sql<{ id: number | null }>`select max(id) as id from trail`.execute(db)
    return rows[0]?.id ?? null
  })
  if (newest !== null) {
    // Only the owner may set the sequence.
    await sql`select setval('audit_entry_id', ${newest})`.execute(db)
    await asSystem(db, async () => {
      const broken = await brokenRows(db)
      await copyAll(db)
      // Adds an entry about the broken chain. A broken chain does not stop the portal from starting.
      for (const { company_id, ids } of broken) await insert(db, [await warning(db, company_id, ids)])
    })
  }
  await sql`drop function trail_hash(trail)`.execute(db)
  await sql`drop table trail`.execute(db)
  await sql`drop function chain_trail(), keep_trail()`.execute(db)
}

/** Runs the work as portal_system, because row-level security applies to the tables' owner too, who would see no rows. */
async function asSystem<T>(db: Kysely<unknown>, work: () => Promise<T>): Promise<T> {
  await sql`set local role portal_system`.execute(db)
  const done = await work()
  await sql`reset role`.execute(db)
  return done
}

async function copyAll(db: Kysely<unknown>): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<OldEntry>`
      select id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent, request_id
      from trail where id > ${last} order by id limit ${pieceRows}`.execute(db)
    if (rows.length > 0) await insert(db, rows.map(leafOf))
    last = rows.at(-1)?.id ?? last
    if (rows.length < pieceRows) return
  }
}

async function brokenRows(db: Kysely<unknown>): Promise<{ company_id: number; ids: number[] }[]> {
  const { rows } = await sql<{ company_id: number; ids: number[] }>`
    select company_id, array_agg(id order by id) as ids from (
      select entry.company_id, entry.id, entry.previous, entry.hash, trail_hash(entry) as content,
        lag(entry.hash, 1, '') over (partition by entry.company_id order by entry.id) as before
      from trail entry) links
    where hash is distinct from content or previous is distinct from before
    group by company_id order by company_id`.execute(db)
  return rows
}

async function warning(db: Kysely<unknown>, companyId: number, ids: number[]) {
  const { rows } = await sql<{ id: number }>`select nextval('audit_entry_id')::integer as id`.execute(db)
  return leafOf({
    id: rows[0]?.id ?? 0,
    company_id: companyId,
    code: 'system',
    operation: 'update',
    exec_user_id: null,
    exec_user_name: '',
    end_time: Date.now(),
    status: -1,
    info: { BrokenEntries: ids.slice(0, 100), BrokenCount: ids.length },
    intent: null,
    request_id: 'migration',
  })
}

function leafOf(old: OldEntry) {
  const { id, company_id, exec_user_id, exec_user_name, operation, status, intent, request_id } = old
  const time = Number(old.end_time)
  const code = old.code as AuditMenu
  const info = plain(old.info) as Record<string, LeafValue>
  const leaf = toCanonicalJson({
    v: 1,
    id,
    company: company_id,
    actor_company: null,
    actor_hash: null,
    time,
    salt: randomBytes(16).toString('hex'),
    code,
    operation,
    user_id: exec_user_id,
    user_name: exec_user_name,
    status,
    info,
    changes: [],
    intent,
    request_id,
  })
  const search = normaliseText(buildSearchText({ user_name: exec_user_name, info, changes: [] }))
  return { ...old, end_time: time, info, search, leaf }
}

/** Fractions and unsafe integers become text, because every value in a leaf must have exactly one spelling. */
function plain(value: LeafValue): LeafValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : String(value)
  if (typeof value === 'string') return value.toWellFormed()
  if (value === null || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toWellFormed(), plain(inner)]))
}

async function insert(db: Kysely<unknown>, entries: ReturnType<typeof leafOf>[]): Promise<void> {
  const rows = JSON.stringify(entries)
  await sql`
    insert into audit_entry (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info,
      intent, request_id, search, leaf)
    select id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent, request_id,
      search, leaf
    from jsonb_to_recordset(${rows}::jsonb) as entry(id integer, company_id integer, code text, operation text,
      exec_user_id integer, exec_user_name text, end_time bigint, status smallint, info jsonb, intent text,
      request_id text, search text, leaf text)`.execute(db)
  await sql`
    insert into audit_pending (entry_id, company_id)
    select id, company_id from jsonb_to_recordset(${rows}::jsonb) as entry(id integer, company_id integer)`.execute(db)
}

/** Creates one index for each filter, in the order of reading, so that a page costs the same in a trail of any length. */
async function indexes(db: Kysely<unknown>): Promise<void> {
  const ways = {
    time: [],
    code: ['code'],
    operation: ['operation'],
    act: ['code', 'operation'],
    person: ['exec_user_id'],
  }
  for (const [name, columns] of Object.entries(ways)) {
    const keys = sql.join(['company_id', ...columns].map((column) => sql.ref(column)))
    await sql`create index ${sql.ref(`audit_entry_${name}`)} on audit_entry (${keys}, end_time desc, id desc)`.execute(
      db,
    )
  }
  await sql`create index audit_entry_failed on audit_entry (company_id, end_time desc, id desc)
    where status = -1`.execute(db)
  await sql`create index audit_entry_intent on audit_entry (intent) where intent is not null`.execute(db)
}
