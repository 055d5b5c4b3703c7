/**
 * Notes of what the user has just typed, in the tab's session storage, which is written synchronously. The device database is slower and
 * loses a write that was started just before a reload. A note is deleted when the database has stored the draft.
 */
const prefix = 'portal.typed:'
const tabIdKey = 'portal.visit'
/** Tab id for a tab that may not store anything. It lasts as long as the page. */
const pageTabId = crypto.randomUUID()

/** Returns the id of this tab's session. It survives a reload and differs in another tab. */
export function readTabId(): string {
  const tabId = withTabStorage((storage) => {
    const storedTabId = storage.getItem(tabIdKey) ?? pageTabId
    storage.setItem(tabIdKey, storedTabId)
    return storedTabId
  })
  return tabId ?? pageTabId
}

export interface DraftNote {
  of: string
  /** Null if the stored draft is to be deleted. */
  value: unknown
  base?: string | undefined
  /** Epoch ms of this device's clock. */
  at: number
}

/** Returns a function that removes this note, unless a newer note has replaced it. */
export function storeNote(form: string, draftNote: DraftNote): () => void {
  const text = JSON.stringify(draftNote)
  withTabStorage((storage) => storage.setItem(prefix + form, text))
  return () =>
    withTabStorage((storage) => {
      if (storage.getItem(prefix + form) === text) storage.removeItem(prefix + form)
    })
}

/** Returns null if there is no note of this user. Deletes a note of another user. */
export function readNote(form: string, owner: string): DraftNote | null {
  const draftNote =
    withTabStorage((storage) => JSON.parse(storage.getItem(prefix + form) ?? 'null') as DraftNote | null) ?? null
  if (draftNote === null || draftNote.of === owner) return draftNote
  withTabStorage((storage) => storage.removeItem(prefix + form))
  return null
}

/** Deletes all notes after a sign-out, so that nothing readable is left. */
export const forgetNotes = () =>
  withTabStorage((storage) => {
    for (const name of Object.keys(storage)) if (name.startsWith(prefix)) storage.removeItem(name)
  })

/**
 * The used part of the session storage API. It is declared here, because the worker also compiles this folder and has no session storage.
 */
interface TabStorage {
  getItem: (name: string) => string | null
  setItem: (name: string, text: string) => void
  removeItem: (name: string) => void
}

/** Storage may be missing, forbidden or full. Drafts are then stored in the database only. */
function withTabStorage<T>(action: (storage: TabStorage) => T): T | undefined {
  try {
    return action((globalThis as unknown as { sessionStorage: TabStorage }).sessionStorage)
  } catch {
    return undefined
  }
}
