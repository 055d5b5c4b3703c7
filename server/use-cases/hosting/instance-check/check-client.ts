/** Sends requests to the checked instance. Each check has a limit, so that none hangs. */
import type { IncomingMessage } from 'node:http'
import {
  defaultExchangeTimes,
  type ExchangeRequest,
  getErrorReason,
  openExchange,
  readShortBody,
} from '#server/drivers/hosting/control/exchange.ts'

export interface CheckResponse {
  /** Like `GET /control/v1/data`. */
  call: string
  status: number
  contentType: string
  text: string
}

/** A requirement that the image does not meet. The three texts complete the report. */
export class RequirementError extends Error {
  readonly outcome: 'missing' | 'wrong'
  readonly expected: string
  readonly actual: string
  readonly advice: string
  constructor(
    outcome: 'missing' | 'wrong',
    { expected, actual, advice }: Record<'expected' | 'actual' | 'advice', string>,
  ) {
    super(`expected ${expected}, got ${actual}`)
    this.name = 'RequirementError'
    this.outcome = outcome
    this.expected = expected
    this.actual = actual
    this.advice = advice
  }
}

export interface CheckRequest extends ExchangeRequest {
  /** Value of the header `authorization`. The own token if missing; no header if null. */
  authorization?: string | null
}

const maxResponseBytes = 1_000_000
const maxQuoteChars = 100

export class CheckClient {
  readonly #url: string
  readonly #token: string
  /** The current check's. */
  #signal: AbortSignal = AbortSignal.abort()
  hasResponded = false
  /** Texts of all responses with an error status, for the check of what they reveal. */
  readonly errorResponses: CheckResponse[] = []

  constructor({ url, token }: { url: string; token: string }) {
    this.#url = url
    this.#token = token
  }

  get token(): string {
    return this.#token
  }

  /** Begins a check: requests that do not end within the time are aborted. */
  beginCheck(limitMs: number): void {
    this.#signal = AbortSignal.timeout(limitMs)
  }

  get isOverdue(): boolean {
    return this.#signal.aborted
  }

  async open({ authorization = `Bearer ${this.#token}`, ...request }: CheckRequest): Promise<IncomingMessage> {
    const headers = { ...request.headers, ...(authorization !== null && { authorization }) }
    const exchange = { ...request, headers, signal: this.#signal }
    const response = await openExchange(this.#url, exchange, defaultExchangeTimes)
    this.hasResponded = true
    return response
  }

  /** Sends a request whose response is short. */
  async send(request: CheckRequest): Promise<CheckResponse> {
    return await this.readResponse(`${request.method} ${request.path}`, await this.open(request))
  }

  async readResponse(call: string, response: IncomingMessage): Promise<CheckResponse> {
    const limits = { maxBytes: maxResponseBytes, limitMs: defaultExchangeTimes.silenceMs }
    const text = await readShortBody(response, limits).catch((error: unknown) => {
      throw new Error(`${call} has the status ${response.statusCode}, and then: ${getErrorReason(error)}`)
    })
    const result = {
      call,
      status: response.statusCode ?? 0,
      contentType: (response.headers['content-type'] ?? '').toLowerCase(),
      text,
    }
    if (result.status >= 400) this.errorResponses.push(result)
    return result
  }

  /** Throws RequirementError if the response has another status. */
  async expectStatus(
    request: CheckRequest,
    status: number | readonly number[],
    advice: string,
  ): Promise<CheckResponse> {
    const response = await this.send(request)
    requireStatus(response, status, advice)
    return response
  }
}

/** Throws RequirementError: `missing` if the instance answers 404 to a call that it should have. */
export function requireStatus(response: CheckResponse, status: number | readonly number[], advice: string): void {
  const statuses = [status].flat()
  if (statuses.includes(response.status)) return
  throw new RequirementError(response.status === 404 ? 'missing' : 'wrong', {
    expected: `status ${statuses.join(' or ')} for ${response.call}`,
    actual: `status ${response.status}${response.text.trim() === '' ? '' : `: ${quoteText(response.text)}`}`,
    advice,
  })
}

/** Returns the beginning of a text as one line without control characters. */
export function quoteText(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length <= maxQuoteChars ? line : `${line.slice(0, maxQuoteChars)}...`
}

/** Returns undefined if the text is not JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
