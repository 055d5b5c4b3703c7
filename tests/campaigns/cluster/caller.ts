/** A client that repeats a request until the portal answers it, as the service worker of a browser does. */
import { setTimeout as wait } from 'node:timers/promises'
import { demoPassword } from '#demo/sample-data/demo-data.ts'
import { requestTokens, type TokenPair } from '#tests/support/nodes/node-client.ts'

export interface LoadReport {
  /** Number of answered requests by kind. */
  counts: Map<string, number>
  /** Number of attempts without a final answer, by status or error. */
  missedCounts: Map<string, number>
  /** Longest time in ms from the first attempt of a request to its answer. */
  longestMs: number
  /** One line per answer that must not occur. */
  faults: string[]
}

export const createLoadReport = (): LoadReport => ({
  counts: new Map(),
  missedCounts: new Map(),
  longestMs: 0,
  faults: [],
})

const addOne = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

export interface Caller {
  /** Sends a request until it is answered with another status than 401, 408, 429 or 5xx. `kind` is its name in the report. */
  send(kind: string, path: string, options?: CallOptions): Promise<{ status: number; body: string; headers: Headers }>
  getToken(): string
  /** Renews the tokens, as a page does before they expire. */
  renew(): Promise<void>
}

export interface CallOptions {
  method?: string
  headers?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
}

const maxAttemptMs = 30_000
const giveUpMs = 180_000
const retryMs = 150

/** Creates a caller and signs it in. A status 500 is a fault of the portal; so is a request that gets no answer for three minutes. */
export async function createCaller(url: string, username: string, report: LoadReport): Promise<Caller> {
  let tokens: TokenPair | null = null

  async function attempt(send: () => Promise<Response>) {
    try {
      const response = await send()
      return { status: response.status, body: await response.text(), headers: response.headers }
    } catch (error) {
      const cause = error instanceof Error ? error.cause : null
      return { status: 0, body: String((cause as { code?: string } | null)?.code ?? error), headers: new Headers() }
    }
  }

  async function sendUntilAnswered(kind: string, send: () => Promise<Response>, isFinal: (status: number) => boolean) {
    const startedAt = performance.now()
    for (;;) {
      const result = await attempt(send)
      if (result.status === 500) report.faults.push(`${kind} returned 500: ${result.body.slice(0, 200)}`)
      if (isFinal(result.status)) {
        addOne(report.counts, kind)
        report.longestMs = Math.max(report.longestMs, performance.now() - startedAt)
        return result
      }
      addOne(report.missedCounts, result.status === 0 ? result.body : String(result.status))
      if (result.status === 401) await signIn()
      if (performance.now() - startedAt > giveUpMs) {
        report.faults.push(
          `${kind} was not answered within ${giveUpMs / 1000} s: ${result.status} ${result.body.slice(0, 200)}`,
        )
        return result
      }
      await wait(retryMs * (0.5 + Math.random()))
    }
  }

  const isAnswered = (status: number) => status > 0 && status < 500 && ![401, 408, 429].includes(status)

  async function signIn(): Promise<void> {
    const form = { grant_type: 'password', username, password: demoPassword }
    const { status, body } = await sendUntilAnswered('sign-in', () => requestTokens(url, form), isAnswered)
    if (status !== 200) throw new Error(`the sign-in of ${username} returned ${status}: ${body}`)
    tokens = JSON.parse(body) as TokenPair
  }
  await signIn()

  return {
    getToken: () => tokens?.access_token ?? '',
    async renew() {
      const form = { grant_type: 'refresh_token', refresh_token: tokens?.refresh_token ?? '' }
      const isEnd = (status: number) => isAnswered(status) || status === 401
      const { status, body } = await sendUntilAnswered('renewal', () => requestTokens(url, form), isEnd)
      if (status === 200) tokens = JSON.parse(body) as TokenPair
      else report.faults.push(`a renewal of ${username} returned ${status}: ${body.slice(0, 200)}`)
    },
    send: (kind, path, { method = 'GET', headers = {}, json, form } = {}) =>
      sendUntilAnswered(
        kind,
        () =>
          fetch(url + path, {
            method,
            signal: AbortSignal.timeout(maxAttemptMs),
            headers: {
              authorization: `Bearer ${tokens?.access_token ?? ''}`,
              ...(json === undefined ? {} : { 'content-type': 'application/json' }),
              ...headers,
            },
            ...(json === undefined ? {} : { body: JSON.stringify(json) }),
            ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
          }),
        isAnswered,
      ),
  }
}
