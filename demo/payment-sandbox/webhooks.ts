/**
 * Calls to the shop, as gateways make them: at once, and again at growing distances until they are acknowledged, also
 * after a restart. Tests can hold them back, and send or drop each one when and as often as they like.
 */
import type { Logger } from 'pino'
import type { Call, SandboxBooks } from '#demo/payment-sandbox/payment-store.ts'

/** After each attempt, ms; then it is given up. */
const distances = [1000, 5000, 30_000, 120_000, 600_000, 3_600_000]
/** A shop that takes longer is called again. */
const patienceMs = 10_000

export interface Calls {
  /** Not written yet: put it into the same change as what it tells of. */
  compose(call: Pick<Call, 'id' | 'gate' | 'url' | 'body'>): Call
  /** Sends what is due, now or later. */
  wake(): void
  /** From now on nothing goes out by itself. */
  hold(): void
  /** What was held back is due again. */
  release(): void
  /** Sends that one now, whether or not it was sent before; the status the shop answered, null: no answer. */
  send(id: string): Promise<number | null>
  drop(id: string): void
  list(): Call[]
  close(): Promise<void>
}

interface Ways {
  books: SandboxBooks
  log: Logger
  clock: () => number
  /** Headers for a call, made when it goes out. */
  headersFor(call: Call, now: number): Record<string, string>
  isAcknowledged(call: Call, status: number, answer: string): boolean
}

export function startCalls({ books, log, clock, headersFor, isAcknowledged }: Ways): Calls {
  let isHeld = false
  let isClosed = false
  let timer: NodeJS.Timeout | null = null
  const underWay = new Map<string, Promise<unknown>>()
  const stop = new AbortController()

  async function attempt(call: Call): Promise<number | null> {
    const now = clock()
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(patienceMs)])
    const asked = {
      method: 'POST',
      body: call.body,
      headers: headersFor(call, now),
      signal,
      redirect: 'manual',
    } as const
    const answer = await fetch(call.url, asked).catch(() => null)
    const text = (await answer?.text().catch(() => '')) ?? ''
    if (isClosed) return null
    const isDone = answer !== null && isAcknowledged(call, answer.status, text)
    const distance = distances[call.attempts]
    const nextAt = isDone || distance === undefined ? null : clock() + distance
    books.put({ calls: [{ ...call, attempts: call.attempts + 1, nextAt }] })
    if (!isDone)
      log.info(
        { gate: call.gate, status: answer?.status ?? null, attempts: call.attempts + 1 },
        'a call of the payment sandbox was not acknowledged',
      )
    return answer?.status ?? null
  }

  function work(call: Call): Promise<number | null> {
    const before = underWay.get(call.id) ?? Promise.resolve()
    const sent = before.then(() => attempt(books.get('calls', call.id) ?? call))
    underWay.set(call.id, sent)
    return sent.finally(() => {
      if (underWay.get(call.id) === sent) underWay.delete(call.id)
    })
  }

  function wake(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (isHeld || isClosed) return
    const waiting = books
      .all('calls')
      .flatMap((call) => (call.nextAt === null || underWay.has(call.id) ? [] : [{ call, at: call.nextAt }]))
    for (const { call, at } of waiting) if (at <= clock()) void work(call).finally(wake)
    const next = Math.min(...waiting.filter(({ at }) => at > clock()).map(({ at }) => at))
    if (next < Infinity) timer = setTimeout(wake, next - clock()).unref()
  }

  return {
    compose: (call) => ({ ...call, attempts: 0, nextAt: clock() }),
    wake,
    hold: () => {
      isHeld = true
    },
    release() {
      isHeld = false
      wake()
    },
    async send(id) {
      const call = books.get('calls', id)
      return call ? await work(call) : null
    },
    drop(id) {
      const call = books.get('calls', id)
      if (call) books.put({ calls: [{ ...call, nextAt: null }] })
    },
    list: () => books.all('calls'),
    async close() {
      isClosed = true
      if (timer) clearTimeout(timer)
      stop.abort()
      await Promise.allSettled(underWay.values())
    },
  }
}
