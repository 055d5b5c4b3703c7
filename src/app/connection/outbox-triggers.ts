import { ports, postToWorker } from '#app/connection/api.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { forgetNotes } from '#local/drafts/draft-notes.ts'

/**
 * Starts all triggers. None is reliable alone: iOS sends no `online` event, a hidden page gets no timers, few browsers have Background
 * Sync. Calls `onServerReachable` when the server can be reached again.
 */
export function startOutboxTriggers(onServerReachable: () => void): void {
  const sendAll = () => void sendWaitingEntries(true)
  window.addEventListener('online', sendAll)
  window.addEventListener('pageshow', sendAll)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && sendAll())
  void tick()
  void watchStalled(onServerReachable)
}

/** Detects a restored connection or a dead worker when no event reports it (O2). Runs only if the cookie shows that writes are waiting. */
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

/** Time between two probes, in ms. The random part keeps the pages of different users from sending at the same moment. */
const roundMs = { min: 800, spread: 400 }

const tickMs = { min: 4_000, spread: 4_000 }

async function tick(): Promise<void> {
  for (;;) {
    if (document.visibilityState === 'visible') await sendWaitingEntries(false)
    await ports.wait(tickMs.min + Math.random() * tickMs.spread)
  }
}

/**
 * Sends waiting entries, by the worker if there is one. With `immediate`, it also sends entries that wait only because the connection
 * failed earlier. If nothing waits, the cost is one read of the device.
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

async function hasWork(): Promise<boolean> {
  // The sign-in page must not create a database in a browser that never stored anything.
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
