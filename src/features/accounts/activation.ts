/** What an activation address says by itself: `otk`, and optionally how it went already (`code`, `message`; portal 2). */
import type { Problem } from '#contract/problem.ts'
import type { LinkState } from '#features/accounts/activation-slice.ts'

interface OpenedActivationLink {
  otk: string
  linkState: LinkState
}

// Words in an address are anybody's: enough for a sentence, not for a letter.
const maxMessageLength = 200
// What a call takes. A mangled address may bring more, which is no key either: the server is to say so.
const maxKeyLength = 100

/** The key of a mail's link; empty where the address brought none. */
export const readLinkKey = (query: URLSearchParams): string => (query.get('otk') ?? '').slice(0, maxKeyLength)

export function readActivationLink(query: URLSearchParams): OpenedActivationLink {
  const otk = readLinkKey(query)
  return { otk, linkState: toLinkState(otk, query.get('code'), query.get('message')) }
}

function toLinkState(otk: string, code: string | null, message: string | null): LinkState {
  if (code === 'ACTIVATE_OK') return { kind: 'done' }
  // Both name a link that still works, which is for the server to say.
  if (otk !== '' && (code === null || code === 'OK' || code === 'SET_PASSWORD')) return { kind: 'unknown' }
  if (code === null && message === null) return { kind: 'used up', problem: toLinkProblem('NO_ACTIVATE_KEY', '') }
  return { kind: 'used up', problem: toLinkProblem(code, message) }
}

/** The server's message, the code, or 'Error Found' (portal 8). */
const toLinkProblem = (code: string | null, message: string | null): Problem => ({
  status: 400,
  // A code that has words of its own would speak before the message.
  code: (code ?? '').slice(0, 60) || (message ? '' : 'ERROR_FOUND'),
  message: (message ?? '').slice(0, maxMessageLength),
  data: null,
  requestId: null,
})
