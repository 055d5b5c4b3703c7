import { ports } from '#app/connection/api.ts'
import { readCachedUser } from '#app/connection/cached-user.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { setPreparation } from '#local/preparation/preparation-store.ts'
import { readActiveSession } from '#local/session/session.ts'
import { repeatPersistenceRequest } from '#local/space/persistence.ts'
import { prepareDevice } from '#request/preparation/prepare-device.ts'
import type { PreparationProgress, PrepareResult, DevicePreparer } from '#request/call-results.ts'
import { toCaller } from '#state/session-slice.ts'

let progress: PreparationProgress | null = null
let controller: AbortController | null = null
const listeners = new Set<() => void>()

function setProgress(next: PreparationProgress | null): void {
  progress = next
  for (const listener of listeners) listener()
}

async function runPreparation(isBackground: boolean): Promise<PrepareResult> {
  if (controller) return { kind: 'busy' }
  controller = new AbortController()
  const { signal } = controller
  try {
    const session = await readActiveSession()
    const user = session && (await readCachedUser(session))
    if (!user) return { kind: 'gone' }
    return await prepareDevice(ports, { caller: toCaller(user), isBackground, signal, onProgress: setProgress })
  } catch (error) {
    ports.report(error)
    return { kind: 'problem', problem: createLocalProblem('STORAGE_FAILED') }
  } finally {
    controller = null
    setProgress(null)
  }
}

export const preparer: DevicePreparer = {
  subscribe(listener) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  getProgress: () => progress,
  async prepare() {
    await setPreparation({ isOn: true, isOfferClosed: true })
    // The user clearly wants to keep the data, so the browser may ask for permission.
    void repeatPersistenceRequest().catch(ports.report)
    return await runPreparation(false)
  },
  stop: () => controller?.abort(),
  async turnOff() {
    controller?.abort()
    await setPreparation({ isOn: false })
  },
}

/** Earliest time of the next background run. It is kept in memory, because on a full disk the end of a run cannot be stored. */
let nextRoundAt = 0
const roundMs = 15 * 60_000

export async function refreshPreparation(): Promise<void> {
  if (!navigator.onLine || performance.now() < nextRoundAt) return
  const result = await runPreparation(true)
  if (result.kind !== 'off') nextRoundAt = performance.now() + roundMs
}
