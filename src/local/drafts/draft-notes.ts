/**
 * What was typed this very moment, in this tab's own storage, which takes it at once. The device's database takes a while,
 * and does not take what was given to it just before the page is loaded anew; as soon as it has it, the note goes.
 */
const prefix = 'portal.typed:'
const tabIdKey = 'portal.visit'
/** For a tab that may store nothing: as long as the page. */
const pageTabId = crypto.randomUUID()

/** Names this tab's session: the same after a reload, another one in another tab. */
export function readTabId(): string {
  const tabId = withTabStorage((storage) => {
    const storedTabId = storage.getItem(tabIdKey) ?? pageTabId
    storage.setItem(tabIdKey, storedTabId)
    return storedTabId
  })
  return tabId ?? pageTabId
}

export interface DraftNote {
  /** Whose words they are. */
  of: string
  /** Null: what was kept is to be forgotten. */
  value: unknown
  base?: string | undefined
  /** This device's clock, epoch ms. */
  at: number
}

/** Answers how to take it away again, which leaves alone what was noted since. */
export function storeNote(form: string, draftNote: DraftNote): () => void {
  const text = JSON.stringify(draftNote)
  withTabStorage((storage) => storage.setItem(prefix + form, text))
  return () =>
    withTabStorage((storage) => {
      if (storage.getItem(prefix + form) === text) storage.removeItem(prefix + form)
    })
}

/** Null: nothing is noted. What is somebody else's goes. */
export function readNote(form: string, owner: string): DraftNote | null {
  const draftNote =
    withTabStorage((storage) => JSON.parse(storage.getItem(prefix + form) ?? 'null') as DraftNote | null) ?? null
  if (draftNote === null || draftNote.of === owner) return draftNote
  withTabStorage((storage) => storage.removeItem(prefix + form))
  return null
}

/** Nobody is here any more: nothing that can be read stays. */
export const forgetNotes = () =>
  withTabStorage((storage) => {
    for (const name of Object.keys(storage)) if (name.startsWith(prefix)) storage.removeItem(name)
  })

/** Pages alone have it, and this folder is the worker's too. */
interface TabStorage {
  getItem: (name: string) => string | null
  setItem: (name: string, text: string) => void
  removeItem: (name: string) => void
}

/** Storage may be missing, forbidden or full: then the database is all there is. */
function withTabStorage<T>(action: (storage: TabStorage) => T): T | undefined {
  try {
    return action((globalThis as unknown as { sessionStorage: TabStorage }).sessionStorage)
  } catch {
    return undefined
  }
}
