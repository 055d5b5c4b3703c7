/**
 * Leases: one holder at a time may do what the name stands for. A holder renews its lease before it expires; if it cannot, another one
 * takes over after `until`. All times are epoch ms of `app.clock`, which follows the database, so that the clocks of the machines do not
 * matter. `fence` rises with each change of the holder and after each expiry, so that a late holder can be recognised.
 */
import { type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { LeaseTable } from '#server/db/tables/tables.ts'

export type ClusterLease = Selectable<LeaseTable>

export interface LeaseRequest {
  /** Unique per process. */
  holder: string
  /** For people: the machine and the process. */
  node: string
  now: number
  until: number
  /** A former holder that is known to have ended, although its lease has not expired. */
  endedHolder?: string | undefined
}

/**
 * Acquires or renews the leases that are free, expired or of this holder. Returns those that the holder now has, by name. Rows are locked
 * in the order of their names, so that two nodes never wait for each other.
 */
export async function acquireClusterLeases(
  db: DatabaseHandle,
  names: readonly string[],
  { holder, node, now, until, endedHolder = holder }: LeaseRequest,
): Promise<Map<string, ClusterLease>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<ClusterLease>`
    insert into lease as held (name, holder, node, since, until, fence)
    select name, ${holder}, ${node}, ${now}::bigint, ${until}::bigint, 1
      from unnest(array[${sql.join(names)}]::text[]) as requested (name) order by name
    on conflict (name) do update set holder = excluded.holder, node = excluded.node, until = excluded.until,
      since = case when held.holder = excluded.holder and held.until > ${now} then held.since else excluded.since end,
      fence = held.fence + case when held.holder = excluded.holder and held.until > ${now} then 0 else 1 end
    where held.until <= ${now} or held.holder in (excluded.holder, ${endedHolder})
    returning *`.execute(db)
  return new Map(rows.map((lease) => [lease.name, lease]))
}

/** Returns the names of active leases that another holder has. */
export async function listForeignLeases(
  db: DatabaseHandle,
  names: readonly string[],
  { holder, now }: Pick<LeaseRequest, 'holder' | 'now'>,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('lease')
    .select('name')
    .where('name', 'in', names)
    .where('holder', '<>', holder)
    .where('until', '>', now)
    .execute()
  return new Set(rows.map(({ name }) => name))
}

export const findClusterLease = (db: DatabaseHandle, name: string): Promise<ClusterLease | null> =>
  findRow(db.selectFrom('lease').selectAll().where('name', '=', name))

/** Ends the leases of this holder. The rows stay, because `fence` must never fall. */
export async function releaseClusterLeases(db: DatabaseHandle, names: readonly string[], holder: string) {
  if (names.length === 0) return
  await db.updateTable('lease').set({ until: 0 }).where('name', 'in', names).where(hasValues({ holder })).execute()
}
