/**
 * What the address asks for sets off with the first script, beside the libraries and not behind them: this module and
 * what it imports bring none.
 */
import type { ComponentType } from 'react'
import type { Namespace } from '#ui/words.ts'
import { type OutsidePlace, outsidePlaces, placeAt } from '#app/paths.ts'
import { always, first, readTexts } from '#app/texts.ts'

/** A page before it is drawn: where its code is, and which texts it shows beside those of every page. */
export interface Code {
  load: () => Promise<ComponentType>
  words: readonly Namespace[]
}

/** The pages that need no session. */
export const outsideCode: Record<OutsidePlace, Code> = {
  entrance: { load: async () => (await import('#features/entrance/pages/Entrance.tsx')).Entrance, words: ['plain'] },
  login: { load: async () => (await import('#features/accounts/pages/Login.tsx')).Login, words: ['accounts'] },
  logout: { load: async () => (await import('#features/accounts/pages/Logout.tsx')).Logout, words: ['accounts'] },
  signup: { load: async () => (await import('#features/accounts/pages/Signup.tsx')).Signup, words: ['accounts'] },
  forget: { load: async () => (await import('#features/accounts/pages/Forget.tsx')).Forget, words: ['accounts'] },
  resetPwd: { load: async () => (await import('#features/accounts/pages/ResetPwd.tsx')).ResetPwd, words: ['accounts'] },
  activate: { load: async () => (await import('#features/accounts/pages/Activate.tsx')).Activate, words: ['accounts'] },
}
/** The signed-in frame, with the routes of everything inside it. */
export const shellCode: Code = { load: async () => (await import('#app/shell/Shell.tsx')).Shell, words: [] }

export const isInside = (path: string) => path === '/' || path === '/app' || path.startsWith('/app/')

/** `path` is inside the base. What fails is asked for again by whoever needs it. */
export function fetchAhead(path: string): void {
  const outside = placeAt(outsidePlaces, path)
  if (!outside && isInside(path)) fetchInside(path)
  for (const namespace of always) quietly(readTexts(first, namespace))
  if (outside) fetchCode(outsideCode[outside])
}

/** The largest first: a browser keeps six connections to a server, and what comes seventh waits. */
function fetchInside(path: string): void {
  // The device's database with whose session it is, and the calls.
  quietly(import('#app/session.ts'))
  quietly(import('#app/corridor.ts'))
  quietly(import('#app/inside-code.ts').then(({ insideCodeAt }) => fetchCode(insideCodeAt(path))))
  fetchCode(shellCode)
  // Without a worker the page asks by itself.
  if (!navigator.serviceWorker?.controller) quietly(import('#request/reads.ts'))
}

function fetchCode({ load, words }: Code): void {
  quietly(load())
  for (const namespace of words) quietly(readTexts(first, namespace))
}

const quietly = (work: Promise<unknown>) => void work.catch(() => undefined)
