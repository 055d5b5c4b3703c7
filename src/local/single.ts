/**
 * One row that has a reading of its own (the own account, the company): the newer of what that reading said and what is in
 * its table, with what waits laid over it. A person who may see no list has no other row of it.
 */
import type { Id, Row } from '#contract/endpoint.ts'
import { rowsOf } from '#local/database.ts'
import { type Device, thisDevice } from '#local/device.ts'
import { readHopes } from '#local/lists.ts'
import { layOver } from '#local/overlay.ts'
import { readSession } from '#local/session.ts'
import { readTogether } from '#local/asking.ts'
import type { Shown } from '#local/view.ts'

/** `path`: of the call that reads it. Null: this device has not seen it yet. For a live query. */
export async function readSingle<R extends Row>(
  path: string,
  table: string,
  id: Id,
  device: Device = thisDevice(),
): Promise<Shown<R> | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const db = device.of(session)
  // One moment for all of it, as for a row of a list.
  return await readTogether(db, ['outbox', 'names', 'readings', table], async (ask) => {
    const [{ entries, names }, [reading], [stored]] = await Promise.all([
      readHopes(ask, db, table),
      ask.rowsUnder(db.readings, [path]),
      ask.rowsUnder(rowsOf(db, table), typeof id === 'number' ? [id] : []),
    ])
    const row = newer(reading ? (JSON.parse(reading.body) as Row) : undefined, stored?.row)
    const shown = layOver(row?.id === id ? [row] : [], entries, names, session.companyId).get(id)
    // Only answers of its own call stand under a path.
    return (shown as Shown<R> | undefined) ?? null
  })
}

const newer = (a: Row | undefined, b: Row | undefined) => (a && b ? (b.row_version > a.row_version ? b : a) : (a ?? b))

/** Server time of the reading that a stored row came with, epoch ms; null: it is not here. For a live query. */
export async function readTime(table: string, id: Id, device: Device = thisDevice()): Promise<number | null> {
  const session = await readSession(device)
  if (!session || session.signedOut || typeof id !== 'number') return null
  return (await rowsOf(device.of(session), table).get(id))?.asOf ?? null
}
