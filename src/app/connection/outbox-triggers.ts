/** When a page asks for the outbox to be sent: at start, when the connection is back, and every while as long as writes wait. */
import { ports, postToWorker } from '#app/connection/api.ts'
import { thisDevice } from '#local/storage/device.ts'
import { forgetNotes } from '#local/drafts/tab-drafts.ts'

/**
 * Signs that there may be a line: none is trusted alone, any may be the one (offline layer, many triggers). iOS sends no
 * `online`, a hidden page gets no timer, Background Sync is in few browsers. `answered` hears of a server that is back.
 */
export function startTelling(answered: () => void): void {
  const tell = () => void sendWaiting(true)
  window.addEventListener('online', tell)
  window.addEventListener('pageshow', tell)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && tell())
  void tick()
  void watchStalled(answered)
}

/**
 * Each second while something waits: a line that is back, or a worker that died over a write, is noticed without any
 * event (O2). The cookie says whether there is anything to look for.
 */
async function watchStalled(answered: () => void): Promise<void> {
  let look: (() => Promise<'nothing' | 'go' | 'hurry'>) | undefined
  for (;;) {
    await ports.wait(roundMs.least + ports.chance() * roundMs.spread)
    if (document.visibilityState !== 'visible' || !(await ports.tally?.read())) continue
    try {
      look ??= (await import('#request/writes/reconnect-probe.ts')).createProbe(ports)
      const found = await look()
      if (found === 'hurry') answered()
      if (found !== 'nothing') await sendWaiting(found === 'hurry')
    } catch (error) {
      ports.report(error)
    }
  }
}

/** Not in step with the pages of others. */
const roundMs = { least: 800, spread: 400 }

const tickMs = { least: 4_000, spread: 4_000 }

async function tick(): Promise<void> {
  for (;;) {
    if (document.visibilityState === 'visible') await sendWaiting(false)
    await ports.wait(tickMs.least + Math.random() * tickMs.spread)
  }
}

/**
 * Sends what waits, by the worker if there is one; `hurry` tries at once what waits only because of the line, which the
 * mere passing of time is no reason for. Costs one look into the device when nothing waits.
 */
async function sendWaiting(hurry: boolean): Promise<void> {
  try {
    if (!(await hasWork())) return
    if (postToWorker('drain', hurry)) return
    const { sendOutbox: drain } = await import('#request/writes/sender.ts')
    await drain(ports, { hurry })
  } catch (error) {
    ports.report(error)
  }
}

/** Something to send, or a sign-out that the server has not heard of. */
async function hasWork(): Promise<boolean> {
  // A browser that never kept anything is not made to open a database by the sign-in page.
  if ((await indexedDB.databases?.())?.every(({ name }) => name !== 'portal-device')) return false
  const [{ readSession }, { readEntries }, { readUnknown }, { isSealedUp }] = await Promise.all([
    import('#local/session/session.ts'),
    import('#local/outbox/read-entries.ts'),
    import('#local/outbox/direct-calls.ts'),
    import('#local/seals/sealed-records.ts'),
  ])
  const session = await readSession()
  if (!session || session.signedOut) forgetNotes()
  if (session?.signedOut) return true
  if (session && (await isSealedUp(thisDevice().of(session)))) return true
  if ((await readUnknown()).length > 0) return true
  return (await readEntries()).some(({ state }) => state === 'waiting' || state === 'sending' || state === 'dropping')
}
