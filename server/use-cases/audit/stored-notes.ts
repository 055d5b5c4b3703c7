/**
 * Reads and writes the newest signed checkpoint of every log, in a store outside of the database. The store is never restored with the
 * database. So a log that does not continue its stored checkpoint was cut, rewritten or reset.
 */
import { readUnverifiedCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import type { AppContext } from '#server/context/context.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { isDueToLog } from '#server/use-cases/audit/due-to-log.ts'

export type StoredNotes = ReadonlyMap<number, string>

interface StoreContent {
  notes: Map<number, string>
  /** The last note of each log before a restore replaced it, stored as evidence. */
  replacedNotes: Map<number, string>
  /** Whether the portal that wrote the store seals entries. If so, a waiting entry without a seal is not from the portal. */
  hasSeals: boolean
  version: string | null
}

const format = 'saas-portal audit checkpoints'
/** Maximum number of tries to write. If several servers write at the same time, each may be refused once by every other server. */
const maxTries = 10

const lastReadNotes = new WeakMap<AppContext, StoredNotes>()

/** If the store cannot be read, reports it and returns the notes of the last read, or null if there was none. */
export async function readStoredNotes(app: AppContext): Promise<StoredNotes | null> {
  try {
    const { notes } = await readContent(app)
    lastReadNotes.set(app, notes)
    return notes
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (isDueToLog(app, 'checkpoint store read'))
      app.log.error(
        { event: 'checkpoint_store_unreadable', err: error, store: app.checkpointStore.name },
        'could not read the store of audit checkpoints',
      )
    return lastReadNotes.get(app) ?? null
  }
}

export async function hasStoreSeals(app: AppContext): Promise<boolean> {
  try {
    return (await readContent(app)).hasSeals
  } catch (error) {
    if (error instanceof StoreError) return false
    throw error
  }
}

/** Returns undefined if the store had no note of this log at the last read, or was not read yet. */
export const getLastReadNote = (app: AppContext, companyId: number): string | undefined =>
  lastReadNotes.get(app)?.get(companyId)

/**
 * Replaces a log's note only by a note of a later epoch, or of a larger log in the same epoch. Logs an error if the store cannot be
 * written.
 */
export async function writeStoredNotes(app: AppContext, notes: StoredNotes): Promise<void> {
  if (app.checkpointStore.name === 'none' || notes.size === 0) return
  try {
    await updateContent(app, (content) => {
      const newerNotes = [...notes].filter(([companyId, note]) => isNewer(note, content.notes.get(companyId)))
      for (const [companyId, note] of newerNotes) content.notes.set(companyId, note)
      return newerNotes.length > 0
    })
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (isDueToLog(app, 'checkpoint store write'))
      app.log.error(
        { event: 'checkpoint_store_unwritable', err: error, store: app.checkpointStore.name },
        'could not write to the store of audit checkpoints',
      )
  }
}

/** Runs after a declared restore. Logs with a given note continue from that note, others start again. Throws StoreError. */
export async function replaceStoredNotes(app: AppContext, notes: StoredNotes): Promise<void> {
  if (app.checkpointStore.name === 'none') return
  await updateContent(app, (content) => {
    for (const [companyId, note] of content.notes) {
      if (notes.get(companyId) === note) continue
      content.replacedNotes.set(companyId, note)
      content.notes.delete(companyId)
    }
    for (const [companyId, note] of notes) content.notes.set(companyId, note)
    return true
  })
}

/** `change` returns whether there is something to write. It is called again if another server wrote first. */
async function updateContent(app: AppContext, change: (content: StoreContent) => boolean): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const content = await readContent(app)
    const isChanged = change(content)
    if (!isChanged || (await app.checkpointStore.replace(formatContent(content), content.version))) {
      lastReadNotes.set(app, content.notes)
      return
    }
  }
  throw new StoreError('unreachable', 'Could not write the checkpoint store, because other servers keep changing it.')
}

async function readContent({ checkpointStore }: AppContext): Promise<StoreContent> {
  const document = await checkpointStore.read()
  if (!document) return { notes: new Map(), replacedNotes: new Map(), hasSeals: false, version: null }
  try {
    const {
      format: storedFormat,
      logs,
      replaced: replacedNotes = {},
      seals,
    } = JSON.parse(document.text) as Record<string, unknown>
    if (storedFormat !== format) throw new SyntaxError('the format is unknown')
    return {
      notes: readNotes(logs),
      replacedNotes: readNotes(replacedNotes),
      hasSeals: seals === true,
      version: document.version,
    }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof LogError)) throw error
    throw new StoreError('damaged', `The checkpoint store does not contain audit checkpoints: ${error.message}`, {
      cause: error,
    })
  }
}

function readNotes(value: unknown): Map<number, string> {
  if (typeof value !== 'object' || value === null) throw new SyntaxError('the logs are missing')
  return new Map(
    Object.entries(value).map(([companyId, note]) => {
      if (!/^\d{1,10}$/.test(companyId) || typeof note !== 'string') throw new SyntaxError('a note is invalid')
      readUnverifiedCheckpoint(note)
      return [Number(companyId), note]
    }),
  )
}

function formatContent({ notes, replacedNotes }: StoreContent): string {
  const sortByCompany = (notesByCompany: Map<number, string>) =>
    Object.fromEntries([...notesByCompany].toSorted(([a], [b]) => a - b))
  return `${JSON.stringify({ format, v: 1, seals: true, logs: sortByCompany(notes), replaced: sortByCompany(replacedNotes) }, null, 1)}\n`
}

function isNewer(note: string, storedNote: string | undefined): boolean {
  if (storedNote === undefined) return true
  const [noteCheckpoint, storedCheckpoint] = [readUnverifiedCheckpoint(note), readUnverifiedCheckpoint(storedNote)]
  return noteCheckpoint.epoch === storedCheckpoint.epoch
    ? noteCheckpoint.size > storedCheckpoint.size
    : noteCheckpoint.epoch > storedCheckpoint.epoch
}
