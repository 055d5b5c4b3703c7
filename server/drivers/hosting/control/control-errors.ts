/** Converts responses of an instance that are not as expected to HostingErrors. */
import type { IncomingMessage } from 'node:http'
import { getErrorReason, readShortBody } from '#server/drivers/hosting/control/exchange.ts'
import { HostingError, type HostingFault } from '#server/drivers/hosting/hosting-driver.ts'

/** For an instance that answers, but not as docs/instance.md says. */
export const createContractError = (message: string, options?: ErrorOptions): HostingError =>
  new HostingError('unreachable', `the image does not follow the instance contract: ${message}`, options)

export const toUnreachableError = (error: unknown): HostingError =>
  error instanceof HostingError
    ? error
    : new HostingError('unreachable', `the instance does not answer: ${getErrorReason(error)}`, { cause: error })

const errorLimits = { maxBytes: 64 * 1024, limitMs: 5_000 }
const maxSentenceChars = 500

interface RefusedCall {
  /** Like `POST /control/v1/drafts`. */
  call: string
  token: string
  /** Faults of statuses with which this call may be refused for its content. */
  contentFaults: Readonly<Record<number, HostingFault>>
}

/** Reads the sentence of a refusal and closes the response. */
export async function readRefusal(
  response: IncomingMessage,
  { call, token, contentFaults }: RefusedCall,
): Promise<HostingError> {
  const status = response.statusCode ?? 0
  const sentence = await readSentence(response, token)
  const reason = sentence === null ? '' : ` (${sentence})`
  if (status === 429 || status === 503)
    return new HostingError('throttled', `the instance has too much to do or is starting: ${status}${reason}`)
  if (status === 507) return new HostingError('no_room', `the instance has no room for its data${reason}`)
  const contentFault = contentFaults[status]
  if (contentFault !== undefined)
    return new HostingError(contentFault, sentence ?? `the instance refused ${call} with the status ${status}`)
  if (status === 401) return createContractError(`it refuses its own CONTROL_TOKEN with the status 401 for ${call}`)
  if (status === 404) return createContractError(`it does not have ${call} (status 404)`)
  if (status >= 500)
    return new HostingError('unreachable', `the instance failed: status ${status} for ${call}${reason}`)
  return createContractError(`it answered ${call} with the status ${status}${reason}`)
}

/** Returns `error` of the JSON body as one line. Null if the body has none. A token in the text is removed. */
async function readSentence(response: IncomingMessage, token: string): Promise<string | null> {
  try {
    const { error } = JSON.parse(await readShortBody(response, errorLimits)) as { error?: unknown }
    return typeof error === 'string' && error.trim() !== '' ? toSentence(error, token) : null
  } catch {
    return null
  }
}

function toSentence(text: string, token: string): string {
  const safeText = token === '' ? text : text.replaceAll(token, '...')
  const line = safeText.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length <= maxSentenceChars ? line : `${line.slice(0, maxSentenceChars)}...`
}
