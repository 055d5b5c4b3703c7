/** What an activation address says by itself: `otk`, and optionally how it went already (`code`, `message`; portal 2). */
import type { Problem } from '#contract/problem.ts'
import type { Link } from '#features/accounts/slice.ts'

export interface Opened {
  otk: string
  link: Link
}

// Words in an address are anybody's: enough for a sentence, not for a letter.
const messageLimit = 200
// What a call takes. A mangled address may bring more, which is no key either: the server is to say so.
const keyLimit = 100

/** The key of a mail's link; empty where the address brought none. */
export const keyIn = (query: URLSearchParams): string => (query.get('otk') ?? '').slice(0, keyLimit)

export function openedBy(query: URLSearchParams): Opened {
  const otk = keyIn(query)
  return { otk, link: linkOf(otk, query.get('code'), query.get('message')) }
}

function linkOf(otk: string, code: string | null, message: string | null): Link {
  if (code === 'ACTIVATE_OK') return { kind: 'done' }
  // Both name a link that still works, which is for the server to say.
  if (otk !== '' && (code === null || code === 'OK' || code === 'SET_PASSWORD')) return { kind: 'unknown' }
  if (code === null && message === null) return { kind: 'used up', problem: said('NO_ACTIVATE_KEY', '') }
  return { kind: 'used up', problem: said(code, message) }
}

/** The server's message, the code, or 'Error Found' (portal 8). */
const said = (code: string | null, message: string | null): Problem => ({
  status: 400,
  // A code that has words of its own would speak before the message.
  code: (code ?? '').slice(0, 60) || (message ? '' : 'ERROR_FOUND'),
  message: (message ?? '').slice(0, messageLimit),
  data: null,
  requestId: null,
})
