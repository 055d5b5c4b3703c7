/** When a page asks for the outbox to be sent: at start, when the connection is back, and every while as long as writes wait. */
import { ports, postToWorker } from '#app/connection/api.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { forgetNotes } from '#local/drafts/draft-notes.ts'

/**
 * Signs that there may be a line: none is trusted alone, any may be the one (offline layer, many triggers). iOS sends no
 * `online`, a hidden page gets no timer, Background Sync is in few browsers. `onServerReachable` hears of a server that is back.
 */
export function startOutboxTriggers(onServerReachable: () => void): void {
  const sendAll = () => void sendWaitingEntries(true)
  window.addEventListener('online', sendAll)
  window.addEventListener('pageshow', sendAll)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && sendAll())
  void tick()
  void watchStalled(onServerReachable)
}

/**
 * Each second while something waits: a line that is back, or a worker that died over a write, is noticed without any
 * event (O2). The cookie says whether there is anything to look for.
 */
async function watchStalled(onServerReachable: () => void): Promise<void> {
  let probe: (() => Promise<'nothing' | 'go' | 'immediate'>) | undefined
  for (;;) {
    await ports.wait(roundMs.min + ports.random() * roundMs.spread)
    if (document.visibilityState !== 'visible' || !(await ports.unsentCookie?.read())) continue
    try {
      probe ??= (await import('#request/writes/reconnect-probe.ts')).createProbe(ports)
      const probeResult = await probe()
      if (probeResult === 'immediate') onServerReachable()
      if (probeResult !== 'nothing') await sendWaitingEntries(probeResult === 'immediate')
    } catch (error) {
      ports.report(error)
    }
  }
}

/** Not in step with the pages of others. */
const roundMs = { min: 800, spread: 400 }

const tickMs = { min: 4_000, spread: 4_000 }

async function tick(): Promise<void> {
  for (;;) {
    if (document.visibilityState === 'visible') await sendWaitingEntries(false)
    await ports.wait(tickMs.min + Math.random() * tickMs.spread)
  }
}

/**
 * Sends what waits, by the worker if there is one; `immediate` tries at once what waits only because of the line, which the
 * mere passing of time is no reason for. Costs one look into the device when nothing waits.
 */
async function sendWaitingEntries(immediate: boolean): Promise<void> {
  try {
    if (!(await hasWork())) return
    if (postToWorker('drain', immediate)) return
    const { sendOutbox } = await import('#request/writes/sender.ts')
    await sendOutbox(ports, { immediate })
  } catch (error) {
    ports.report(error)
  }
}

/** Something to send, or a sign-out that the server has not heard of. */
async function hasWork(): Promise<boolean> {
  // A browser that never kept anything is not made to open a database by the sign-in page.
  if ((await indexedDB.databases?.())?.every(({ name }) => name !== 'portal-device')) return false
  const [{ readSession }, { readEntries }, { readUnknownCalls }, { hasSealedWrites }] = await Promise.all([
    import('#local/session/session.ts'),
    import('#local/outbox/read-entries.ts'),
    import('#local/outbox/direct-calls.ts'),
    import('#local/seals/sealed-records.ts'),
  ])
  const session = await readSession()
  if (!session || session.signedOut) forgetNotes()
  if (session?.signedOut) return true
  if (session && (await hasSealedWrites(getThisDevice().getDatabase(session)))) return true
  if ((await readUnknownCalls()).length > 0) return true
  return (await readEntries()).some(({ state }) => state === 'waiting' || state === 'sending' || state === 'dropping')
}
