/**
 * Stores drafts of long forms on the device at every change. They survive a reload, a closed browser and a lost connection. A draft belongs
 * to its user like an outbox entry: a sign-out seals it (local/seals). Each tab session has its own draft, so that tabs do not overwrite
 * each other. The tab's own draft of the same day is restored automatically; all others are offered.
 */
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { type DraftNote, storeNote, readNote, readTabId } from '#local/drafts/draft-notes.ts'
import { findUserDatabase, readActiveSession } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Subject, FormDraft } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

type DraftName = FormDraft['name']

/** Separates the form from the tab id. A draft of an earlier build has no tab id. */
const tabMark = '@'
const buildDraftName = (form: string, tabId: string): DraftName => `draft:${form}${tabMark}${tabId}`
const getOwnDraftName = (form: string) => buildDraftName(form, readTabId())

/** Owner key of the user whose forms the page shows. Set when the first draft is read. */
let noteOwner: string | null = null
const toOwnerKey = ({ companyId, userId }: Subject) => `${companyId}:${userId}`

/** Notes the input synchronously, before `saveDraft` has finished. Returns a function that removes the note. */
export const noteDraft = (form: string, value: unknown, base?: string): (() => void) =>
  noteOwner === null ? () => undefined : storeNote(form, { of: noteOwner, value, base, at: Date.now() })

export interface FormDrafts {
  ownDraft: FormDraft | null
  /** Drafts of earlier sessions and of other tabs, latest first. */
  earlierDrafts: FormDraft[]
}
const noDrafts: FormDrafts = { ownDraft: null, earlierDrafts: [] }

/** `formerForm` is the name that an earlier build used for the form. */
export async function readDrafts(
  form: string,
  formerForm: string | null = null,
  device: Device = getThisDevice(),
): Promise<FormDrafts> {
  const session = await readActiveSession(device)
  if (!session) return noDrafts
  noteOwner = toOwnerKey(session)
  const ownDraftName = getOwnDraftName(form)
  // The note was left by a page that was closed before the database had stored its draft.
  const storedNote = readNote(form, noteOwner)
  const isStored = storedNote === null || (await moveNoteToDatabase(form, storedNote, device))
  const db = device.getDatabase(session)
  const allDrafts = await transact(db, ['meta'], async () => {
    await setOldDraftAside(db, form)
    return await readFormDrafts(db, form, formerForm)
  }).catch(() => readFormDrafts(db, form, formerForm))
  const otherDrafts = allDrafts.filter(({ name }) => name !== ownDraftName)
  // The device had no room for the note's draft, so the note itself is used.
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

/** Renames a draft that this tab left on another day. It is then offered like a draft of another tab, and is not overwritten. */
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

/** A null value deletes this tab's draft. Returns false if no user is signed in or the device has no room. */
export async function saveDraft(
  form: string,
  value: unknown,
  base?: string,
  device: Device = getThisDevice(),
): Promise<boolean> {
  const removeNote = noteDraft(form, value, base)
  return await storeDraft(getOwnDraftName(form), { value, base, at: Date.now() }, device).finally(removeNote)
}

/** Stores the draft as if an earlier session had left it, so that it is offered. Returns null if it was not stored. */
export async function putDraftAside(
  form: string,
  value: unknown,
  base?: string,
  device: Device = getThisDevice(),
): Promise<FormDraft | null> {
  const draft = toFormDraft(buildDraftName(form, crypto.randomUUID()), { of: '', value, base, at: Date.now() })
  return draft && (await storeDraft(draft.name, draft, device)) ? draft : null
}

export const deleteDraft = (name: DraftName, device: Device = getThisDevice()): Promise<boolean> =>
  storeDraft(name, { value: null, at: 0 }, device)

async function storeDraft(name: DraftName, draft: Omit<DraftNote, 'of'>, device: Device): Promise<boolean> {
  const db = await findUserDatabase(device)
  if (!db) return false
  try {
    return await transact(db, ['meta'], async () => {
      // If the session has ended meanwhile, its drafts were sealed, so nothing is stored now.
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
