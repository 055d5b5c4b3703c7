/**
 * What the address asks for sets off with the first script, beside the libraries and not behind them: this module and
 * what it imports bring none.
 */
import type { ComponentType } from 'react'
import type { Ahead } from '#state/ahead.ts'
import type { Namespace } from '#ui/words.ts'
import { insideCodeAt } from '#app/inside-code.ts'
import { type OutsidePlace, outsidePlaces, placeAt } from '#app/paths.ts'
import { always, first, readTexts, soon } from '#app/texts.ts'
import type { Known } from '#app/who.ts'

type Who = typeof import('#app/who.ts')

/** A page before it is drawn: where its code is, and which texts it shows beside those of every page. */
export interface Code {
  load: () => Promise<ComponentType>
  words: readonly Namespace[]
  /** Its list, where it shows one. */
  ahead?: () => Promise<Ahead>
}

// A link that no longer works is a problem to begin with.
const visitors = ['accounts', ...soon] as const
const recovering = [...visitors, 'visitors', 'passwords'] as const

/** The pages that need no session. */
export const outsideCode: Record<OutsidePlace, Code> = {
  entrance: {
    load: async () => (await import('#features/entrance/pages/Entrance.tsx')).Entrance,
    words: ['entrance', 'fields'],
  },
  login: {
    load: async () => (await import('#features/accounts/pages/Login.tsx')).Login,
    words: visitors,
  },
  logout: {
    load: async () => (await import('#features/accounts/pages/Logout.tsx')).Logout,
    words: visitors,
  },
  signup: {
    load: async () => (await import('#app/signup.tsx')).SignupPage,
    words: [...recovering, 'company'],
  },
  forget: {
    load: async () => (await import('#features/accounts/pages/Forget.tsx')).Forget,
    words: recovering,
  },
  resetPwd: {
    load: async () => (await import('#features/accounts/pages/ResetPwd.tsx')).ResetPwd,
    words: recovering,
  },
  activate: {
    load: async () => (await import('#features/accounts/pages/Activate.tsx')).Activate,
    words: recovering,
  },
}
/** The signed-in frame, with the routes of everything inside it. */
export const shellCode: Code = { load: async () => (await import('#app/shell/Shell.tsx')).Shell, words: [] }

export const isInside = (path: string) => path === '/' || path === '/app' || path.startsWith('/app/')

/** Who is there and what the page lists, both as the device knows it. */
export interface Begun {
  known: Promise<Known | null>
  list: Promise<{ ahead: Ahead; here: boolean } | null>
}

/** `path` is inside the base. What fails is asked for again by whoever needs it. */
export function fetchAhead(path: string): Begun | null {
  const outside = placeAt(outsidePlaces, path)
  const begun = !outside && isInside(path) ? fetchInside(path) : null
  for (const namespace of always) quietly(readTexts(first, namespace))
  if (outside) fetchCode(outsideCode[outside])
  return begun
}

/** The largest first: a browser keeps six connections to a server, and what comes seventh waits. */
function fetchInside(path: string): Begun {
  const who = import('#app/who.ts')
  const code = insideCodeAt(path)
  fetchCode(shellCode)
  // The parts that frame and page share: a file of its own, which either would name only when it is here itself.
  quietly(import('#ui/icons.ts'))
  quietly(import('#app/session.ts'))
  quietly(import('#app/corridor.ts'))
  fetchCode(code)
  // Without a worker the page asks by itself.
  if (!navigator.serviceWorker?.controller) quietly(import('#request/reads.ts'))
  const known = who.then((module) => module.known).catch(() => null)
  return { known, list: readList(code, who, known).catch(() => null) }
}

/**
 * Rows are read while the libraries that will draw them are still being read in, and for the company that was right last
 * time beside the asking who is there: rows are found in the database of whoever that is, and in no other.
 */
async function readList({ ahead: load }: Code, who: Promise<Who>, known: Promise<Known | null>) {
  const [ahead, { guess }] = await Promise.all([load?.(), who])
  if (!ahead) return null
  const read = (companyId: number) => ahead.read(companyId, new URLSearchParams(location.search))
  const [found, guessed] = await Promise.all([known, guess && read(guess.companyId)])
  if (!found?.kept) return null
  const isRight = found.kept.company_id === guess?.companyId
  return { ahead, here: isRight && guessed ? guessed : await read(found.kept.company_id) }
}

function fetchCode({ load, words }: Code): void {
  quietly(load())
  for (const namespace of words) quietly(readTexts(first, namespace))
}

const quietly = (work: Promise<unknown>) => void work.catch(() => undefined)
