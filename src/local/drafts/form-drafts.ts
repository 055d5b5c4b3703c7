/**
 * What stands typed in a long form, kept on the device at every step: it survives a reload, a closed browser and a lost
 * network. It belongs to its user like what waits to be sent: who signs out takes it along, sealed (local/seal).
 */
import { type Device, thisDevice } from '#local/storage/device.ts'
import { note, readNote } from '#local/drafts/tab-drafts.ts'
import { readSession } from '#local/session/session.ts'
import { openGate } from '#local/session/session-generation.ts'
import type { Subject, FormDraft } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

const nameOf = (form: string) => `draft:${form}` as const

/** Whose forms this page shows: known since the first of them was read. */
let whose: string | null = null
const wordFor = ({ companyId, userId }: Subject) => `${companyId}:${userId}`

/** What stands typed now: it survives the page from here on, and `saveDraft` has time. Answers how to take it back. */
export const noteDraft = (form: string, value: unknown): (() => void) =>
  whose === null ? () => undefined : note(form, { of: whose, value, at: Date.now() })

/** Null: nothing is kept, or nobody is signed in. */
export async function readDraft(form: string, device: Device = thisDevice()): Promise<FormDraft | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  whose = wordFor(session)
  // By a page that went before the database had it.
  const noted = readNote(form, whose)
  if (noted) {
    void saveDraft(form, noted.value, device)
    return noted.value === null ? null : { name: nameOf(form), value: noted.value, at: noted.at }
  }
  const found = await device.of(session).meta.get(nameOf(form))
  return (found as FormDraft | undefined) ?? null
}

/** Null forgets it. False: it could not be kept, for nobody is signed in or the device has no room. */
export async function saveDraft(form: string, value: unknown, device: Device = thisDevice()): Promise<boolean> {
  const takeBack = noteDraft(form, value)
  return await store(form, value, device).finally(takeBack)
}

async function store(form: string, value: unknown, device: Device): Promise<boolean> {
  const session = await readSession(device)
  if (!session || session.signedOut) return false
  const db = device.of(session)
  try {
    return await transact(db, ['meta'], async () => {
      // A session that has ended meanwhile has taken along what was kept.
      if (openGate(await db.meta.get('session-generation')) === null) return false
      if (value === null) await db.meta.delete(nameOf(form))
      else await db.meta.put({ name: nameOf(form), value, at: Date.now() })
      return true
    })
  } catch {
    return false
  }
}
