/**
 * Numbers that devices compare, after the database was restored from a backup. The restored counters are lower than those that devices
 * know, and would soon repeat them: a device would take other data for what it has. So all counters are raised above everything that was
 * given before. The new numbers follow from the time and not from the backup, because the same backup may be restored several times.
 */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'

/** Facts. Devices with a lower change number load all rows again. Versions of apps are counted from the second one. */
const changeFloorFact = 'restored change floor'
const versionFloorFact = 'restored version floor'

/** The raised numbers follow from the time since then. */
const startTime = Date.parse('2026-01-01T00:00:00Z')
/**
 * Numbers in a query have at most 15 digits, which lasts for 120 years. The raised number exceeds all earlier ones if a company has less
 * than this many changes per second between two restores.
 */
const changesPerSecond = 2 ** 18
/** If-Match has at most nine digits, and ids have 31 bits. Both last for 300 years. */
const msPerVersion = 10_000
/** Minimum increase of versions and ids, for rows that changed more often than every ten seconds. */
const minIncrease = 10_000

/** Tables whose rows devices store with their version. */
export const versionedTables = [
  'company',
  'portal_user',
  'module',
  'price_list',
  'service_order',
  'backup_order',
  'traffic',
  'service',
  'backup',
  'customer_note',
  'document',
  'bank_transfer',
] as const
/** Tables whose ids must not be given a second time. App versions never change, so they have ids and no versions. */
export const numberedTables = [...versionedTables, 'app_version'] as const

/** Runs with the system role, before the server accepts requests. `now` in epoch ms. */
export async function raiseRestoredNumbers(db: DatabaseHandle, now: number): Promise<void> {
  // All rows of the tables are updated, and nobody waits.
  await sql`select set_config('statement_timeout', '0', true)`.execute(db)
  await raiseChangeNumbers(db, Math.floor((now - startTime) / 1000) * changesPerSecond)
  const minVersion = Math.max(1, Math.floor((now - startTime) / msPerVersion))
  for (const table of versionedTables)
    await sql`update ${sql.table(table)} set row_version = greatest(row_version + ${minIncrease}, ${minVersion})`.execute(
      db,
    )
  await setFloor(db, versionFloorFact, Math.max((await readFloor(db, versionFloorFact)) + minIncrease, minVersion))
  for (const table of numberedTables)
    await sql`select setval(sequence, greatest(nextval(sequence) + ${minIncrease}, ${minVersion}))
      from (select pg_get_serial_sequence(${table}, 'id')::regclass as sequence) identity`.execute(db)
}

/** All counters get the same number, so that one fact is the floor of those that have no column for it. */
async function raiseChangeNumbers(db: DatabaseHandle, minChange: number): Promise<void> {
  const { rows } = await sql<{ highest: number }>`
    select greatest((select max(value) from change), (select change from catalogue), service_change_now()) as highest`.execute(
    db,
  )
  const raisedChange = Math.max(minChange, (rows[0]?.highest ?? 0) + changesPerSecond)
  await db.updateTable('change').set({ value: raisedChange, floor: raisedChange }).execute()
  await db.updateTable('catalogue').set({ change: raisedChange }).execute()
  await sql`update hosting set change = ${raisedChange}::bigint`.execute(db)
  await setFloor(db, changeFloorFact, raisedChange)
}

const setFloor = (db: DatabaseHandle, name: string, floor: number) =>
  db
    .insertInto('fact')
    .values({ name, value: String(floor) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(floor) }))
    .execute()

const selectFloor = (name: string) => sql<number>`coalesce((select value::bigint from fact where name = ${name}), 0)`

async function readFloor(db: DatabaseHandle, name: string): Promise<number> {
  const { rows } = await sql<{ floor: number }>`select ${selectFloor(name)} as floor`.execute(db)
  return rows[0]?.floor ?? 0
}

/** Expression with the number below which a change number is from before a restore. 0 if nothing was restored. */
export const restoredChangeFloor = selectFloor(changeFloorFact)

/** Expression that is added to versions that are counted and not stored. */
export const restoredVersionFloor = selectFloor(versionFloorFact)
