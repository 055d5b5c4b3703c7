/**
 * Notifications that the user has read, but the server does not know it yet. A mark is repeated until the server has confirmed it. It needs
 * no entry in the outbox: a lost mark does no harm, and a repeated one changes nothing.
 */
import { getMetaRecord } from '#local/storage/database.ts'
import type { ReadMarks } from '#local/storage/records.ts'
import { findUserDatabase } from '#local/session/session.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'

export type Marks = Pick<ReadMarks, 'ids' | 'upTo'>

/** Maximum number of marks that one call sends. Older ones are dropped. */
const maxIds = 100
const noMarks: Marks = { ids: [], upTo: 0 }

export async function readMarks(device: Device = getThisDevice()): Promise<Marks> {
  const db = await findUserDatabase(device)
  return (db && (await getMetaRecord(db, 'read-notifications'))) ?? noMarks
}

export async function addMarks({ ids, upTo }: Marks, device: Device = getThisDevice()): Promise<void> {
  const db = await findUserDatabase(device)
  await db?.transaction('rw', 'meta', async () => {
    const marks = (await getMetaRecord(db, 'read-notifications')) ?? noMarks
    const allIds = [...new Set([...marks.ids, ...ids])].slice(-maxIds)
    await db.meta.put({ name: 'read-notifications', ids: allIds, upTo: Math.max(upTo, marks.upTo) })
  })
}

/** Removes marks that the server has confirmed. Marks that were added meanwhile stay. */
export async function removeMarks(confirmed: Marks, device: Device = getThisDevice()): Promise<void> {
  const db = await findUserDatabase(device)
  await db?.transaction('rw', 'meta', async () => {
    const marks = await getMetaRecord(db, 'read-notifications')
    if (!marks) return
    const ids = marks.ids.filter((id) => !confirmed.ids.includes(id))
    const upTo = marks.upTo === confirmed.upTo ? 0 : marks.upTo
    if (ids.length === 0 && upTo === 0) await db.meta.delete('read-notifications')
    else await db.meta.put({ name: 'read-notifications', ids, upTo })
  })
}
