/**
 * What was typed this very moment, in this tab's own storage, which takes it at once. The device's database takes a while,
 * and does not take what was given to it just before the page is loaded anew; as soon as it has it, the note goes.
 */
const prefix = 'portal.typed:'
const visitName = 'portal.visit'
/** For a tab that may store nothing: as long as the page. */
const pageVisit = crypto.randomUUID()

/** Names this tab's session: the same after a reload, another one in another tab. */
export function readVisit(): string {
  const found = guarded((storage) => {
    const stored = storage.getItem(visitName) ?? pageVisit
    storage.setItem(visitName, stored)
    return stored
  })
  return found ?? pageVisit
}

export interface Note {
  /** Whose words they are. */
  of: string
  /** Null: what was kept is to be forgotten. */
  value: unknown
  base?: string | undefined
  /** This device's clock, epoch ms. */
  at: number
}

/** Answers how to take it away again, which leaves alone what was noted since. */
export function note(form: string, given: Note): () => void {
  const text = JSON.stringify(given)
  guarded((storage) => storage.setItem(prefix + form, text))
  return () =>
    guarded((storage) => {
      if (storage.getItem(prefix + form) === text) storage.removeItem(prefix + form)
    })
}

/** Null: nothing is noted. What is somebody else's goes. */
export function readNote(form: string, of: string): Note | null {
  const found = guarded((storage) => JSON.parse(storage.getItem(prefix + form) ?? 'null') as Note | null) ?? null
  if (found === null || found.of === of) return found
  guarded((storage) => storage.removeItem(prefix + form))
  return null
}

/** Nobody is here any more: nothing that can be read stays. */
export const forgetNotes = () =>
  guarded((storage) => {
    for (const name of Object.keys(storage)) if (name.startsWith(prefix)) storage.removeItem(name)
  })

/** Pages alone have it, and this folder is the worker's too. */
interface Shelf {
  getItem: (name: string) => string | null
  setItem: (name: string, text: string) => void
  removeItem: (name: string) => void
}

/** Storage may be missing, forbidden or full: then the database is all there is. */
function guarded<T>(act: (storage: Shelf) => T): T | undefined {
  try {
    return act((globalThis as unknown as { sessionStorage: Shelf }).sessionStorage)
  } catch {
    return undefined
  }
}
