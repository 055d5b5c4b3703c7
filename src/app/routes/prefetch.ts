/**
 * What the address asks for sets off with the first script, beside the libraries and not behind them: this module and
 * what it imports bring none.
 */
import { insideCodeAt } from '#app/routes/page-modules.ts'
import { isInside, type OutsidePlace, outsidePlaces, placeAt } from '#app/routes/paths.ts'
import type { PageModule } from '#app/routes/page-module.ts'
import { always, first, readTexts, soon } from '#app/i18n/locale-files.ts'

// A link that no longer works is a problem to begin with.
const visitors = ['accounts', ...soon] as const
const recovering = [...visitors, 'visitors', 'passwords'] as const

/** The pages that need no session. */
export const outsideCode: Record<OutsidePlace, PageModule> = {
  entrance: {
    load: async () => (await import(/* chunk: visitors */ '#features/entrance/pages/Entrance.tsx')).Entrance,
    words: ['entrance', 'fields'],
  },
  login: {
    load: async () => (await import(/* chunk: frame */ '#features/accounts/pages/Login.tsx')).Login,
    words: visitors,
  },
  logout: {
    load: async () => (await import(/* chunk: visitors */ '#features/accounts/pages/Logout.tsx')).Logout,
    words: [...visitors, 'visitors'],
  },
  signup: {
    load: async () => (await import(/* chunk: visitors */ '#app/pages/SignupPage.tsx')).SignupPage,
    words: [...recovering, 'company'],
  },
  forget: {
    load: async () => (await import(/* chunk: visitors */ '#features/accounts/pages/Forget.tsx')).Forget,
    words: recovering,
  },
  resetPwd: {
    load: async () => (await import(/* chunk: visitors */ '#features/accounts/pages/ResetPwd.tsx')).ResetPwd,
    words: recovering,
  },
  activate: {
    load: async () => (await import(/* chunk: visitors */ '#features/accounts/pages/Activate.tsx')).Activate,
    words: recovering,
  },
}
/** The signed-in frame, with the routes of everything inside it. */
export const shellCode: PageModule = {
  load: async () => (await import(/* chunk: inside */ '#app/shell/AppLayout.tsx')).Shell,
  words: [],
}

/** `path` is inside the base. What fails is asked for again by whoever needs it. */
export function fetchAhead(path: string): void {
  const outside = placeAt(outsidePlaces, path)
  if (isInside(path)) fetchInside(path)
  for (const namespace of always) quietly(readTexts(first, namespace))
  if (outside) fetchCode(outsideCode[outside])
}

/** The largest first: a browser keeps six connections to a server, and what comes seventh waits. */
function fetchInside(path: string): void {
  quietly(import(/* chunk: device */ '#app/connection/current-user.ts'))
  fetchCode(shellCode)
  // The parts that frame and page share: a file of its own, which either would name only when it is here itself.
  quietly(import(/* chunk: inside */ '#ui/icons/app-icons.ts'))
  quietly(import(/* chunk: device */ '#app/connection/session-sync.ts'))
  quietly(import(/* chunk: device */ '#app/connection/network-bundle.ts'))
  fetchCode(insideCodeAt(path))
  // Without a worker the page asks by itself.
  if (!navigator.serviceWorker?.controller) quietly(import(/* chunk: device */ '#request/reads/read.ts'))
}

function fetchCode({ load, words }: PageModule): void {
  quietly(load())
  for (const namespace of words) quietly(readTexts(first, namespace))
}

const quietly = (work: Promise<unknown>) => void work.catch(() => undefined)
