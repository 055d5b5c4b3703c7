/** Reads an activation link: `otk`, and optionally the outcome of an earlier step (`code`, `message`; portal 2). */
import type { Problem } from '#contract/problem.ts'
import type { LinkState } from '#features/accounts/activation-slice.ts'

interface OpenedActivationLink {
  otk: string
  linkState: LinkState
}

// Maximum length of the displayed message. Anybody can put a text into an address, so only about a sentence of it is shown.
const maxMessageLength = 200
// Maximum length of the key in a request. A longer key is invalid; it is cut, so that the server rejects it.
const maxKeyLength = 100

export const readLinkKey = (query: URLSearchParams): string => (query.get('otk') ?? '').slice(0, maxKeyLength)

export function readActivationLink(query: URLSearchParams): OpenedActivationLink {
  const otk = readLinkKey(query)
  return { otk, linkState: toLinkState(otk, query.get('code'), query.get('message')) }
}

function toLinkState(otk: string, code: string | null, message: string | null): LinkState {
  if (code === 'ACTIVATE_OK') return { kind: 'done' }
  // These links may still work. Only the server can tell, so the state is `unknown`.
  if (otk !== '' && (code === null || code === 'OK' || code === 'SET_PASSWORD')) return { kind: 'unknown' }
  if (code === null && message === null) return { kind: 'used up', problem: toLinkProblem('NO_ACTIVATE_KEY', '') }
  return { kind: 'used up', problem: toLinkProblem(code, message) }
}

/** Builds the problem of an unusable link. Its text is the message in the link, else the code, else 'Error Found' (portal 8). */
const toLinkProblem = (code: string | null, message: string | null): Problem => ({
  status: 400,
  // The code ERROR_FOUND has its own text, which would be shown instead of the message.
  code: (code ?? '').slice(0, 60) || (message ? '' : 'ERROR_FOUND'),
  message: (message ?? '').slice(0, maxMessageLength),
  data: null,
  requestId: null,
})
