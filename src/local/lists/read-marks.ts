/**
 * Notifications that the user has read on this device. A mark is repeated until the server has confirmed it. It needs no entry in the
 * outbox: a lost mark does no harm, and a repeated one changes nothing. Confirmed marks stay, because stored pages of the inbox are older.
 */
import { getMetaRecord } from '#local/storage/database.ts'
import type { ReadMarks } from '#local/storage/records.ts'
import { findUserDatabase } from '#local/session/session.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'

export type Marks = Pick<ReadMarks, 'ids' | 'upTo'>
export type StoredMarks = Marks & { confirmed: Marks }

/** Maximum number of marks that one call sends, and of confirmed marks that stay. Older ones are dropped. */
const maxIds = 100
const noMarks: Marks = { ids: [], upTo: 0 }

export async function readMarks(device: Device = getThisDevice()): Promise<StoredMarks> {
  const db = await findUserDatabase(device)
  const record = db && (await getMetaRecord(db, 'read-notifications'))
  return { ids: record?.ids ?? [], upTo: record?.upTo ?? 0, confirmed: record?.confirmed ?? noMarks }
}

export async function addMarks({ ids, upTo }: Marks, device: Device = getThisDevice()): Promise<void> {
  const db = await findUserDatabase(device)
  await db?.transaction('rw', 'meta', async () => {
    const marks = await getMetaRecord(db, 'read-notifications')
    await db.meta.put({ ...marks, name: 'read-notifications', ...unite(marks ?? noMarks, { ids, upTo }) })
  })
}

const unite = (earlier: Marks, later: Marks): Marks => ({
  ids: [...new Set([...earlier.ids, ...later.ids])].slice(-maxIds),
  upTo: Math.max(earlier.upTo, later.upTo),
})

/** Ends the repetition of marks that the server has confirmed. Marks that were added meanwhile are still to be sent. */
export async function confirmMarks(confirmed: Marks, device: Device = getThisDevice()): Promise<void> {
  const db = await findUserDatabase(device)
  await db?.transaction('rw', 'meta', async () => {
    const marks = await getMetaRecord(db, 'read-notifications')
    if (!marks) return
    const ids = marks.ids.filter((id) => !confirmed.ids.includes(id))
    const upTo = marks.upTo === confirmed.upTo ? 0 : marks.upTo
    const allConfirmed = unite(marks.confirmed ?? noMarks, confirmed)
    await db.meta.put({ name: 'read-notifications', ids, upTo, confirmed: allConfirmed })
  })
}
