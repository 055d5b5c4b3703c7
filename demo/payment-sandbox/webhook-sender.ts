/**
 * Sends webhook calls. Repeats each with growing delays until the shop acknowledges it, also after a restart. Tests control the sending.
 */
import type { Logger } from 'pino'
import type { WebhookCall, SandboxStore } from '#demo/payment-sandbox/sandbox-store.ts'

/** Delays in ms before the second and each later attempt. A call that also fails after the last delay is not repeated. */
const retryDelaysMs = [1000, 5000, 30_000, 120_000, 600_000, 3_600_000]
/** Timeout of one attempt in ms. The call is repeated if the shop takes longer. */
const timeoutMs = 10_000

export interface WebhookSender {
  /** Builds the call without storing it. The caller stores it in the same change as the event that it reports. */
  compose(call: Pick<WebhookCall, 'id' | 'gate' | 'url' | 'body'>): WebhookCall
  wake(): void
  hold(): void
  release(): void
  /** Sends the call now, even if it was sent before. Returns the shop's HTTP status, or null without a response. */
  send(id: string): Promise<number | null>
  drop(id: string): void
  list(): WebhookCall[]
  close(): Promise<void>
}

interface SenderOptions {
  store: SandboxStore
  log: Logger
  clock: () => number
  /** Called at each attempt, because Stripe's signature contains the time. */
  buildHeaders(call: WebhookCall, now: number): Record<string, string>
  isAcknowledged(call: WebhookCall, status: number, responseText: string): boolean
}

export function startWebhookSender({ store, log, clock, buildHeaders, isAcknowledged }: SenderOptions): WebhookSender {
  let isHeld = false
  let isClosed = false
  let timer: NodeJS.Timeout | null = null
  const pendingCalls = new Map<string, Promise<unknown>>()
  const stopController = new AbortController()

  async function attemptCall(call: WebhookCall): Promise<number | null> {
    const now = clock()
    const signal = AbortSignal.any([stopController.signal, AbortSignal.timeout(timeoutMs)])
    const options = {
      method: 'POST',
      body: call.body,
      headers: buildHeaders(call, now),
      signal,
      redirect: 'manual',
    } as const
    const response = await fetch(call.url, options).catch(() => null)
    const text = (await response?.text().catch(() => '')) ?? ''
    if (isClosed) return null
    const isDone = response !== null && isAcknowledged(call, response.status, text)
    const delayMs = retryDelaysMs[call.attempts]
    const nextAt = isDone || delayMs === undefined ? null : clock() + delayMs
    store.put({ calls: [{ ...call, attempts: call.attempts + 1, nextAt }] })
    if (!isDone)
      log.info(
        {
          event: 'sandbox_webhook_unacknowledged',
          gateway: call.gate,
          status: response?.status ?? null,
          attempts: call.attempts + 1,
        },
        'the portal did not acknowledge a webhook of the payment sandbox',
      )
    return response?.status ?? null
  }

  function sendInOrder(call: WebhookCall): Promise<number | null> {
    const previousSend = pendingCalls.get(call.id) ?? Promise.resolve()
    const currentSend = previousSend.then(() => attemptCall(store.get('calls', call.id) ?? call))
    pendingCalls.set(call.id, currentSend)
    return currentSend.finally(() => {
      if (pendingCalls.get(call.id) === currentSend) pendingCalls.delete(call.id)
    })
  }

  function wake(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (isHeld || isClosed) return
    const waitingCalls = store
      .list('calls')
      .flatMap((call) => (call.nextAt === null || pendingCalls.has(call.id) ? [] : [{ call, at: call.nextAt }]))
    for (const { call, at: nextAt } of waitingCalls) if (nextAt <= clock()) void sendInOrder(call).finally(wake)
    const earliestNextAt = Math.min(
      ...waitingCalls.filter(({ at: nextAt }) => nextAt > clock()).map(({ at: nextAt }) => nextAt),
    )
    if (earliestNextAt < Infinity) timer = setTimeout(wake, earliestNextAt - clock()).unref()
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
      const call = store.get('calls', id)
      return call ? await sendInOrder(call) : null
    },
    drop(id) {
      const call = store.get('calls', id)
      if (call) store.put({ calls: [{ ...call, nextAt: null }] })
    },
    list: () => store.list('calls'),
    async close() {
      isClosed = true
      if (timer) clearTimeout(timer)
      stopController.abort()
      await Promise.allSettled(pendingCalls.values())
    },
  }
}
