/**
 * One row that has a reading of its own (the own account, the company): the newer of what that reading said and what is in
 * its table, with what waits laid over it. A person who may see no list has no other row of it.
 */
import type { Id, Row } from '#contract/endpoint.ts'
import { rowsOf } from '#local/storage/database.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { openFor, readWaitingWrites } from '#local/lists/overlaid-rows.ts'
import { applyOverlay } from '#local/lists/overlay.ts'
import { readSession } from '#local/session/session.ts'
import { readTogether } from '#local/storage/transaction.ts'
import type { ReadRow, OverlaidRow } from '#local/lists/list-view.ts'

/** `path`: of the call that reads it. Null: this device has not seen it yet. For a live query. */
export async function readSingle<R extends Row>(
  path: string,
  table: string,
  id: Id,
  device: Device = thisDevice(),
): Promise<OverlaidRow<R> | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const db = device.of(session)
  // One moment for all of it, as for a row of a list.
  return await readTogether(db, ['outbox', 'rowIds', 'responses', table], async () => {
    const { entries, names } = await readWaitingWrites(db, table)
    const reading = await db.responses.get(path)
    const stored = typeof id === 'number' ? await rowsOf(db, table).get(id) : undefined
    const row = newer(reading ? (JSON.parse(reading.body) as Row) : undefined, stored?.row)
    const shown = applyOverlay(row?.id === id ? [row] : [], entries, names, session.companyId).get(id)
    // Only answers of its own call stand under a path.
    return (shown as OverlaidRow<R> | undefined) ?? null
  })
}

const newer = (a: Row | undefined, b: Row | undefined) => (a && b ? (b.row_version > a.row_version ? b : a) : (a ?? b))

/** Server time of the reading that a stored row came with, epoch ms; null: it is not here. For a live query. */
export async function readTime(table: string, id: Id, device: Device = thisDevice()): Promise<number | null> {
  const session = await readSession(device)
  if (!session || session.signedOut || typeof id !== 'number') return null
  return (await rowsOf(device.of(session), table).get(id))?.asOf ?? null
}

/** The row as the server last told it, without what waits over it: also one that a waiting write deletes. */
export async function readStoredRow(table: string, id: Id, device: Device = thisDevice()): Promise<Row | null> {
  const session = await openFor(device)
  if (!session) return null
  const db = device.of(session)
  const rowId = typeof id === 'number' ? id : (await db.rowIds.get(id.slice(1)))?.id
  return typeof rowId === 'number' ? ((await rowsOf(db, table).get(rowId))?.row ?? null) : null
}

export const readRow: ReadRow = (table, id) => readRowOn(thisDevice(), table, id)

export async function readRowOn<R extends Row>(device: Device, table: string, id: Id): Promise<OverlaidRow<R> | null> {
  const session = await openFor(device)
  if (!session) return null
  const db = device.of(session)
  // One moment for all of it: a write that is accepted between two readings would be neither on the row nor waiting, and
  // a form opened on that row would be told that somebody else had changed it.
  const shown = await readTogether(db, ['outbox', 'rowIds', table], async () => {
    const { entries, names } = await readWaitingWrites(db, table)
    // An address opened before the row had its id keeps finding it (protocol 18).
    const named = typeof id === 'string' ? await db.rowIds.get(id.slice(1)) : undefined
    const at = named?.id ?? id
    const stored = typeof at === 'number' ? await rowsOf(db, table).get(at) : undefined
    return applyOverlay(stored ? [stored.row] : [], entries, names, session.companyId).get(at)
  })
  return (shown as OverlaidRow<R> | undefined) ?? null
}
