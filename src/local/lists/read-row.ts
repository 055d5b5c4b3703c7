/**
 * Reads one row that has an endpoint of its own (the user's account, the company). Returns the newer of that response and the row in the
 * table, with the optimistic overlay. A user who may not see lists has no other copy of the row.
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

/** `path` is the path of the call that reads the row. Returns null if the row was never stored. For a live query. */
export async function readSingleRow<R extends VersionedRow>(
  path: string,
  table: string,
  id: RowRef,
  device: Device = getThisDevice(),
): Promise<OverlaidRow<R> | null> {
  const session = await readActiveSession(device)
  if (!session) return null
  const db = device.getDatabase(session)
  return await readInTransaction(db, ['outbox', 'rowIds', 'responses', table], async () => {
    const { entries, rowIds } = await readWaitingWrites(db, table)
    const response = await db.responses.get(path)
    const storedRow = typeof id === 'number' ? await getRowTable(db, table).get(id) : undefined
    const row = pickNewer(response ? (JSON.parse(response.body) as VersionedRow) : undefined, storedRow?.row)
    const overlaidRow = applyOverlay(row?.id === id ? [row] : [], entries, rowIds, session.companyId).get(id)
    return (overlaidRow as OverlaidRow<R> | undefined) ?? null
  })
}

const pickNewer = (a: VersionedRow | undefined, b: VersionedRow | undefined) =>
  a && b ? (b.row_version > a.row_version ? b : a) : (a ?? b)

/** Returns the server time of the response that the stored row came with (epoch ms), or null if it is not stored. For a live query. */
export async function readRowTime(table: string, id: RowRef, device: Device = getThisDevice()): Promise<number | null> {
  const db = await findUserDatabase(device)
  return db && typeof id === 'number' ? ((await getRowTable(db, table).get(id))?.asOf ?? null) : null
}

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
  // Reads everything in one transaction. A write that is accepted between two reads would appear neither in the row nor as waiting, and
  // a form opened on that row would report a conflict with another user.
  const overlaidRow = await readInTransaction(db, ['outbox', 'rowIds', table], async () => {
    const { entries, rowIds } = await readWaitingWrites(db, table)
    // An address that was opened before the row had its id must still find it (protocol 18).
    const rowRef = (await findRowId(db, id)) ?? id
    const storedRow = typeof rowRef === 'number' ? await getRowTable(db, table).get(rowRef) : undefined
    return applyOverlay(storedRow ? [storedRow.row] : [], entries, rowIds, session.companyId).get(rowRef)
  })
  return (overlaidRow as OverlaidRow<R> | undefined) ?? null
}
