/**
 * What stands typed in a long form, kept on the device at every step: it survives a reload, a closed browser and a lost
 * network. It belongs to its user like what waits to be sent: who signs out takes it along, sealed (local/seal).
 * Each visit (a tab's session) has a draft of its own, so that none writes over another's. The visit's own draft comes back by
 * itself on the same day; all others are offered.
 */
import { type Device, thisDevice } from '#local/storage/device.ts'
import { type Note, note, readNote, readVisit } from '#local/drafts/tab-drafts.ts'
import { readSession } from '#local/session/session.ts'
import { openGate } from '#local/session/session-generation.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Subject, FormDraft } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

type DraftName = FormDraft['name']

/** A draft of an earlier build names no visit. */
const visitMark = '@'
const nameFor = (form: string, visit: string): DraftName => `draft:${form}${visitMark}${visit}`
const ownName = (form: string) => nameFor(form, readVisit())

/** Whose forms this page shows: known since the first of them was read. */
let whose: string | null = null
const wordFor = ({ companyId, userId }: Subject) => `${companyId}:${userId}`

/** What stands typed now: it survives the page from here on, and `saveDraft` has time. Answers how to take it back. */
export const noteDraft = (form: string, value: unknown, base?: string): (() => void) =>
  whose === null ? () => undefined : note(form, { of: whose, value, base, at: Date.now() })

export interface FormDrafts {
  /** Of this visit. */
  own: FormDraft | null
  /** Of earlier visits and of other tabs, newest first. */
  earlier: FormDraft[]
}
const noDrafts: FormDrafts = { own: null, earlier: [] }

/** `formerForm`: what an earlier build called the form. */
export async function readDrafts(
  form: string,
  formerForm: string | null = null,
  device: Device = thisDevice(),
): Promise<FormDrafts> {
  const session = await readSession(device)
  if (!session || session.signedOut) return noDrafts
  whose = wordFor(session)
  const own = ownName(form)
  // By a page that went before the database had it.
  const noted = readNote(form, whose)
  const isStored = noted === null || (await storeNoted(form, noted, device))
  const db = device.of(session)
  const found = await transact(db, ['meta'], async () => {
    await setAside(db, form)
    return await draftsOf(db, form, formerForm)
  }).catch(() => draftsOf(db, form, formerForm))
  const drafts = found.filter(({ name }) => name !== own)
  // The device had no room for it.
  const latest = isStored ? (found.find(({ name }) => name === own) ?? null) : asDraft(own, noted)
  return { own: latest, earlier: drafts.toSorted((a, b) => b.at - a.at) }
}

async function storeNoted(form: string, noted: Note, device: Device): Promise<boolean> {
  const takeBack = note(form, noted)
  const isStored = await store(ownName(form), noted, device)
  if (isStored) takeBack()
  return isStored
}

const asDraft = (name: DraftName, { value, at, base }: Note): FormDraft | null =>
  value === null ? null : { name, value, at, ...(base === undefined ? {} : { base }) }

const dayOf = (at: number) => new Date(at).toDateString()

/** What this tab left on another day is offered like that of another tab, and is not written over. */
async function setAside(db: UserDatabase, form: string): Promise<void> {
  const own = (await db.meta.get(ownName(form))) as FormDraft | undefined
  if (!own || dayOf(own.at) === dayOf(Date.now())) return
  await db.meta.put({ ...own, name: nameFor(form, crypto.randomUUID()) })
  await db.meta.delete(own.name)
}

async function draftsOf(db: UserDatabase, form: string, formerForm: string | null): Promise<FormDraft[]> {
  const visits = await db.meta.where('name').startsWith(nameFor(form, '')).toArray()
  const former = await db.meta
    .where('name')
    .anyOf([form, formerForm].flatMap((name) => (name === null ? [] : [`draft:${name}`])))
    .toArray()
  return [...visits, ...former] as FormDraft[]
}

/** Null forgets this visit's. False: it could not be kept, for nobody is signed in or the device has no room. */
export async function saveDraft(
  form: string,
  value: unknown,
  base?: string,
  device: Device = thisDevice(),
): Promise<boolean> {
  const takeBack = noteDraft(form, value, base)
  return await store(ownName(form), { value, base, at: Date.now() }, device).finally(takeBack)
}

/** Keeps it beside this visit's own draft: it is offered like one of an earlier visit. Null: it could not be kept. */
export async function putDraftAside(
  form: string,
  value: unknown,
  base?: string,
  device: Device = thisDevice(),
): Promise<FormDraft | null> {
  const draft = asDraft(nameFor(form, crypto.randomUUID()), { of: '', value, base, at: Date.now() })
  return draft && (await store(draft.name, draft, device)) ? draft : null
}

/** Forgets one draft for good. */
export const dropDraft = (name: DraftName, device: Device = thisDevice()): Promise<boolean> =>
  store(name, { value: null, at: 0 }, device)

async function store(name: DraftName, draft: Omit<Note, 'of'>, device: Device): Promise<boolean> {
  const session = await readSession(device)
  if (!session || session.signedOut) return false
  const db = device.of(session)
  try {
    return await transact(db, ['meta'], async () => {
      // A session that has ended meanwhile has taken along what was kept.
      if (openGate(await db.meta.get('session-generation')) === null) return false
      const row = asDraft(name, { of: '', ...draft })
      if (row) await db.meta.put(row)
      else await db.meta.delete(name)
      return true
    })
  } catch {
    return false
  }
}
