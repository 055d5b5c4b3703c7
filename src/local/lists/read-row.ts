/**
 * One row that has a reading of its own (the own account, the company): the newer of what that reading said and what is in
 * its table, with what waits laid over it. A person who may see no list has no other row of it.
 */
import type { RowRef, VersionedRow } from '#contract/endpoint.ts'
import { getRowTable } from '#local/storage/database.ts'
import { findRowId } from '#local/storage/row-ids.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readWaitingWrites } from '#local/lists/overlaid-rows.ts'
import { applyOverlay } from '#local/lists/overlay.ts'
import { findUserDatabase, readActiveSession } from '#local/session/session.ts'
import { readInTransaction } from '#local/storage/transaction.ts'
import type { ReadRow, OverlaidRow } from '#local/lists/list-view.ts'

/** `path`: of the call that reads it. Null: this device has not seen it yet. For a live query. */
export async function readSingleRow<R extends VersionedRow>(
  path: string,
  table: string,
  id: RowRef,
  device: Device = getThisDevice(),
): Promise<OverlaidRow<R> | null> {
  const session = await readActiveSession(device)
  if (!session) return null
  const db = device.getDatabase(session)
  // One moment for all of it, as for a row of a list.
  return await readInTransaction(db, ['outbox', 'rowIds', 'responses', table], async () => {
    const { entries, rowIds } = await readWaitingWrites(db, table)
    const response = await db.responses.get(path)
    const storedRow = typeof id === 'number' ? await getRowTable(db, table).get(id) : undefined
    const row = pickNewer(response ? (JSON.parse(response.body) as VersionedRow) : undefined, storedRow?.row)
    const overlaidRow = applyOverlay(row?.id === id ? [row] : [], entries, rowIds, session.companyId).get(id)
    // Only answers of its own call stand under a path.
    return (overlaidRow as OverlaidRow<R> | undefined) ?? null
  })
}

const pickNewer = (a: VersionedRow | undefined, b: VersionedRow | undefined) =>
  a && b ? (b.row_version > a.row_version ? b : a) : (a ?? b)

/** Server time of the reading that a stored row came with, epoch ms; null: it is not here. For a live query. */
export async function readRowTime(table: string, id: RowRef, device: Device = getThisDevice()): Promise<number | null> {
  const db = await findUserDatabase(device)
  return db && typeof id === 'number' ? ((await getRowTable(db, table).get(id))?.asOf ?? null) : null
}

/** The row as the server last told it, without what waits over it: also one that a waiting write deletes. */
export async function readStoredRow(
  table: string,
  id: RowRef,
  device: Device = getThisDevice(),
): Promise<VersionedRow | null> {
  const db = await findUserDatabase(device)
  const rowId = db && (await findRowId(db, id))
  return db && rowId !== null ? ((await getRowTable(db, table).get(rowId))?.row ?? null) : null
}

export const readRow: ReadRow = (table, id) => readRowOnDevice(getThisDevice(), table, id)

export async function readRowOnDevice<R extends VersionedRow>(
  device: Device,
  table: string,
  id: RowRef,
): Promise<OverlaidRow<R> | null> {
  const session = await readActiveSession(device)
  if (!session) return null
  const db = device.getDatabase(session)
  // One moment for all of it: a write that is accepted between two readings would be neither on the row nor waiting, and
  // a form opened on that row would be told that somebody else had changed it.
  const overlaidRow = await readInTransaction(db, ['outbox', 'rowIds', table], async () => {
    const { entries, rowIds } = await readWaitingWrites(db, table)
    // An address opened before the row had its id keeps finding it (protocol 18).
    const rowRef = (await findRowId(db, id)) ?? id
    const storedRow = typeof rowRef === 'number' ? await getRowTable(db, table).get(rowRef) : undefined
    return applyOverlay(storedRow ? [storedRow.row] : [], entries, rowIds, session.companyId).get(rowRef)
  })
  return (overlaidRow as OverlaidRow<R> | undefined) ?? null
}
