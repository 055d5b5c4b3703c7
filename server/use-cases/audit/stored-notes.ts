/**
 * The newest signed checkpoint of every log, in the store outside the database. Whoever changes the database does not reach it, and it is
 * never restored with the database. So a log that does not go on from what is stored was cut, rewritten or put back.
 */
import { readUnverifiedCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import type { AppContext } from '#server/context/context.ts'
import { StoreError } from '#server/drivers/backup-store/backup-store.ts'
import { isDueToLog } from '#server/use-cases/audit/due-to-log.ts'

/** Signed notes by the id of the company. */
export type StoredNotes = ReadonlyMap<number, string>

interface StoreContent {
  notes: Map<number, string>
  /** What a restore has replaced, the last of each log: evidence. */
  replacedNotes: Map<number, string>
  /** The portal that wrote it seals entries: what waits without a seal was put there by somebody else. */
  hasSeals: boolean
  /** Null: the store is empty. */
  version: string | null
}

const format = 'saas-portal audit checkpoints'
/** Each of several servers that write at once is refused once for every other one. */
const maxTries = 10

const lastReadNotes = new WeakMap<AppContext, StoredNotes>()

/**
 * What the store holds; while it cannot be read, what it held when this process read it last. Null: it cannot be read and never was.
 * Reports a store that cannot be read.
 */
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

/** Whether a portal that seals entries has written the store. False where it cannot be read. */
export async function hasStoreSeals(app: AppContext): Promise<boolean> {
  try {
    return (await readContent(app)).hasSeals
  } catch (error) {
    if (error instanceof StoreError) return false
    throw error
  }
}

/** Undefined: the store had none of this log when this process read it last, or was not read yet. */
export const getLastReadNote = (app: AppContext, companyId: number): string | undefined =>
  lastReadNotes.get(app)?.get(companyId)

/** A log's note in the store is only replaced by one of a larger log. A store that cannot be written is reported. */
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

/** After a restore that the operator has declared: these logs go on from here, and others from nothing. Throws a StoreError. */
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

/** `change` returns whether there is anything to write; it is called again where another server was faster. */
async function updateContent(app: AppContext, change: (content: StoreContent) => boolean): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const content = await readContent(app)
    const isChanged = change(content)
    if (!isChanged || (await app.checkpointStore.replace(formatContent(content), content.version))) {
      lastReadNotes.set(app, content.notes)
      return
    }
  }
  throw new StoreError('unreachable', 'Other servers write the store of audit checkpoints all the time.')
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
    if (storedFormat !== format) throw new SyntaxError('another format')
    return {
      notes: readNotes(logs),
      replacedNotes: readNotes(replacedNotes),
      hasSeals: seals === true,
      version: document.version,
    }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof LogError)) throw error
    throw new StoreError('damaged', `The store holds no audit checkpoints: ${error.message}`, { cause: error })
  }
}

function readNotes(value: unknown): Map<number, string> {
  if (typeof value !== 'object' || value === null) throw new SyntaxError('no logs')
  return new Map(
    Object.entries(value).map(([companyId, note]) => {
      if (!/^\d{1,10}$/.test(companyId) || typeof note !== 'string') throw new SyntaxError('no note')
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
