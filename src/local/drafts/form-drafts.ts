/**
 * What stands typed in a long form, kept on the device at every step: it survives a reload, a closed browser and a lost
 * network. It belongs to its user like what waits to be sent: who signs out takes it along, sealed (local/seal).
 * Each visit (a tab's session) has a draft of its own, so that none writes over another's. The visit's own draft comes back by
 * itself on the same day; all others are offered.
 */
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { type DraftNote, storeNote, readNote, readTabId } from '#local/drafts/draft-notes.ts'
import { findUserDatabase, readActiveSession } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Subject, FormDraft } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

type DraftName = FormDraft['name']

/** A draft of an earlier build names no visit. */
const tabMark = '@'
const buildDraftName = (form: string, tabId: string): DraftName => `draft:${form}${tabMark}${tabId}`
const getOwnDraftName = (form: string) => buildDraftName(form, readTabId())

/** Whose forms this page shows: known since the first of them was read. */
let noteOwner: string | null = null
const toOwnerKey = ({ companyId, userId }: Subject) => `${companyId}:${userId}`

/** What stands typed now: it survives the page from here on, and `saveDraft` has time. Answers how to take it back. */
export const noteDraft = (form: string, value: unknown, base?: string): (() => void) =>
  noteOwner === null ? () => undefined : storeNote(form, { of: noteOwner, value, base, at: Date.now() })

export interface FormDrafts {
  /** Of this visit. */
  ownDraft: FormDraft | null
  /** Of earlier visits and of other tabs, newest first. */
  earlierDrafts: FormDraft[]
}
const noDrafts: FormDrafts = { ownDraft: null, earlierDrafts: [] }

/** `formerForm`: what an earlier build called the form. */
export async function readDrafts(
  form: string,
  formerForm: string | null = null,
  device: Device = getThisDevice(),
): Promise<FormDrafts> {
  const session = await readActiveSession(device)
  if (!session) return noDrafts
  noteOwner = toOwnerKey(session)
  const ownDraftName = getOwnDraftName(form)
  // By a page that went before the database had it.
  const storedNote = readNote(form, noteOwner)
  const isStored = storedNote === null || (await moveNoteToDatabase(form, storedNote, device))
  const db = device.getDatabase(session)
  const allDrafts = await transact(db, ['meta'], async () => {
    await setOldDraftAside(db, form)
    return await readFormDrafts(db, form, formerForm)
  }).catch(() => readFormDrafts(db, form, formerForm))
  const otherDrafts = allDrafts.filter(({ name }) => name !== ownDraftName)
  // The device had no room for it.
  const latestDraft = isStored
    ? (allDrafts.find(({ name }) => name === ownDraftName) ?? null)
    : toFormDraft(ownDraftName, storedNote)
  return { ownDraft: latestDraft, earlierDrafts: otherDrafts.toSorted((a, b) => b.at - a.at) }
}

async function moveNoteToDatabase(form: string, storedNote: DraftNote, device: Device): Promise<boolean> {
  const removeNote = storeNote(form, storedNote)
  const isStored = await storeDraft(getOwnDraftName(form), storedNote, device)
  if (isStored) removeNote()
  return isStored
}

const toFormDraft = (name: DraftName, { value, at, base }: DraftNote): FormDraft | null =>
  value === null ? null : { name, value, at, ...(base === undefined ? {} : { base }) }

const getDay = (time: number) => new Date(time).toDateString()

/** What this tab left on another day is offered like that of another tab, and is not written over. */
async function setOldDraftAside(db: UserDatabase, form: string): Promise<void> {
  const draft = (await db.meta.get(getOwnDraftName(form))) as FormDraft | undefined
  if (!draft || getDay(draft.at) === getDay(Date.now())) return
  await db.meta.put({ ...draft, name: buildDraftName(form, crypto.randomUUID()) })
  await db.meta.delete(draft.name)
}

async function readFormDrafts(db: UserDatabase, form: string, formerForm: string | null): Promise<FormDraft[]> {
  const tabDrafts = await db.meta.where('name').startsWith(buildDraftName(form, '')).toArray()
  const formerDrafts = await db.meta
    .where('name')
    .anyOf([form, formerForm].flatMap((name) => (name === null ? [] : [`draft:${name}`])))
    .toArray()
  return [...tabDrafts, ...formerDrafts] as FormDraft[]
}

/** Null forgets this visit's. False: it could not be kept, for nobody is signed in or the device has no room. */
export async function saveDraft(
  form: string,
  value: unknown,
  base?: string,
  device: Device = getThisDevice(),
): Promise<boolean> {
  const removeNote = noteDraft(form, value, base)
  return await storeDraft(getOwnDraftName(form), { value, base, at: Date.now() }, device).finally(removeNote)
}

/** Keeps it beside this visit's own draft: it is offered like one of an earlier visit. Null: it could not be kept. */
export async function putDraftAside(
  form: string,
  value: unknown,
  base?: string,
  device: Device = getThisDevice(),
): Promise<FormDraft | null> {
  const draft = toFormDraft(buildDraftName(form, crypto.randomUUID()), { of: '', value, base, at: Date.now() })
  return draft && (await storeDraft(draft.name, draft, device)) ? draft : null
}

/** Forgets one draft for good. */
export const deleteDraft = (name: DraftName, device: Device = getThisDevice()): Promise<boolean> =>
  storeDraft(name, { value: null, at: 0 }, device)

async function storeDraft(name: DraftName, draft: Omit<DraftNote, 'of'>, device: Device): Promise<boolean> {
  const db = await findUserDatabase(device)
  if (!db) return false
  try {
    return await transact(db, ['meta'], async () => {
      // A session that has ended meanwhile has taken along what was kept.
      if ((await readSessionGeneration(db)) === null) return false
      const record = toFormDraft(name, { of: '', ...draft })
      if (record) await db.meta.put(record)
      else await db.meta.delete(name)
      return true
    })
  } catch {
    return false
  }
}
