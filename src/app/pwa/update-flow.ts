/**
 * Activates a new build of the client: with the user's consent, or automatically if this build is older than the server's minimum build. It
 * waits for unsaved input and for writes being sent, and applies to all tabs. If the activation fails, the old build stays active.
 */
import { messageSW } from 'workbox-window'
import { getBuildNumber } from '#contract/client-build.ts'
import { readSession } from '#local/session/session.ts'
import { getThisDevice } from '#local/storage/device.ts'
import type { WorkerMessage } from '#request/ports.ts'
import { ports } from '#app/connection/api.ts'
import { hasUnsavedInput, unsavedInputLock } from '#app/pwa/unsaved-input.ts'
import { fetchBuildInfo } from '#app/pwa/build-info.ts'

/**
 * `ready`: a new build waits. `taken`: a newer build is in control, but this tab was not reloaded. `held`: the user agreed, but input or a
 * write must end first. `isForced`: the server requires the update, so it cannot be postponed.
 */
export type UpdateState =
  | { kind: 'none' }
  | { kind: 'ready' | 'taken' | 'applying' | 'failed'; isForced: boolean }
  | { kind: 'held'; reason: 'typing' | 'sending'; isForced: boolean }

/** Time in ms in which no page sends the outbox. The old worker would send the requests, and would stay active. */
const quietMs = 5_000
/**
 * Time after which the activation has failed, in ms. A request during the activation restarts the old worker, and the browser tries again
 * only when that worker has been idle for half a minute.
 */
const takeOverMs = 60_000
/** Wait before a forced update is tried again, in ms. The old worker may be busy; Chromium gives it five minutes. */
const forceAgainMs = 10_000
/**
 * Maximum wait for writes being sent, in ms. It is a little more than the request timeout, so a longer request has lost its connection and
 * will be repeated.
 */
const sendingMs = 35_000

let updateState: UpdateState = { kind: 'none' }
let isForced = false
let abortController: AbortController | null = null
const listeners = new Set<(update: UpdateState) => void>()

function setUpdateState(newState: UpdateState): void {
  updateState = newState
  for (const listener of listeners) listener(newState)
}

/** Calls the listener with the state now and after each change. Returns an unsubscribe function. */
export function subscribeToUpdate(listener: (update: UpdateState) => void): () => void {
  listeners.add(listener)
  listener(updateState)
  return () => void listeners.delete(listener)
}

export function markUpdateReady(): void {
  if (updateState.kind === 'none' || updateState.kind === 'failed') setUpdateState({ kind: 'ready', isForced })
  if (isForced) void applyUpdate()
}

/** Called when this build may no longer be used: a new build is activated without consent, now or when it arrives. */
export function forceUpdate(): void {
  if (isForced) return
  isForced = true
  if (updateState.kind !== 'none') markUpdateReady()
}

/** Called if the user postpones the update. An update on hold then waits for consent again. */
export function postponeUpdate(): void {
  abortController?.abort()
}

/** Activates the waiting build when nothing is lost by it. Every tab then reloads itself. */
export async function applyUpdate(): Promise<void> {
  if (updateState.kind === 'taken') return location.reload()
  if (updateState.kind === 'applying' || updateState.kind === 'held') return
  abortController = new AbortController()
  setUpdateState({ kind: 'held', reason: 'typing', isForced })
  try {
    // Without locks other tabs cannot be checked. Each checks itself when the new build is active.
    if (!navigator.locks) await applyWhenNothingIsSent()
    else await navigator.locks.request(unsavedInputLock, { signal: abortController.signal }, applyWhenNothingIsSent)
  } catch (error) {
    setUpdateState({ kind: abortController.signal.aborted ? 'ready' : 'failed', isForced })
    if (!abortController.signal.aborted) ports.report(error)
  }
}

async function applyWhenNothingIsSent(): Promise<void> {
  setUpdateState({ kind: 'held', reason: 'sending', isForced })
  const [session, { getSenderLockName }] = await Promise.all([readSession(), import('#request/writes/sender.ts')])
  const lockName = session ? getSenderLockName(getThisDevice().getDatabase(session)) : 'portal-nobody'
  const lockResult = await ports.locks.hold(lockName, { waitMs: sendingMs }, startTakeOver)
  // No lock after `sendingMs`: the other tab is frozen. The server recognises a repeated request by its key, so the update continues.
  const { controllerChange } = lockResult ? lockResult.value : await startTakeOver()
  if (!controllerChange || (await isTakenOverWithin(controllerChange, takeOverMs))) return
  setUpdateState({ kind: 'failed', isForced })
  // A forced update needs no consent, so it is tried again automatically.
  if (isForced) void ports.wait(forceAgainMs).then(markUpdateReady)
}

/** Starts the activation. `controllerChange` resolves when it is done, within `quietMs` or later. Null if it was not started. */
async function startTakeOver(): Promise<{ controllerChange: Promise<unknown> | null }> {
  if (hasUnsavedInput()) {
    setUpdateState({ kind: 'ready', isForced })
    return { controllerChange: null }
  }
  setUpdateState({ kind: 'applying', isForced })
  const registration = await navigator.serviceWorker.getRegistration('/saas/')
  const waitingWorker = registration?.waiting
  // No new build is waiting on this device: there is no worker, or it passes all requests through. A reload brings the new build.
  if (!waitingWorker) {
    location.reload()
    return { controllerChange: null }
  }
  const controllerChange = new Promise((resolve) =>
    navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
  )
  void messageSW(waitingWorker, { type: 'SKIP_WAITING' } satisfies WorkerMessage)
  // Each tab reloads itself (`followController`). The caller holds the sender lock, so no page sends before this one has reloaded.
  if (await isTakenOverWithin(controllerChange, quietMs)) await ports.wait(quietMs)
  return { controllerChange }
}

const isTakenOverWithin = (controllerChange: Promise<unknown>, ms: number) =>
  Promise.race([controllerChange.then(() => true), ports.wait(ms).then(() => false)])

export function followController(): void {
  const workers = navigator.serviceWorker
  let hadController = workers.controller !== null
  const onControllerChange = async () => {
    // The first worker of a page usually has the same build, unless the page was loaded without the worker. If it does not report its
    // build, the page is not reloaded.
    const isFirst = !hadController
    hadController = true
    if (isFirst && ((await readWorkerBuild(workers.controller)) ?? ports.build) === ports.build) return
    if (hasUnsavedInput()) return setUpdateState({ kind: 'taken', isForced })
    // Otherwise a worker that unregisters itself would still control the reloaded page.
    if ((await fetchBuildInfo())?.bypass) await (await workers.getRegistration('/saas/'))?.unregister()
    location.reload()
  }
  workers.addEventListener('controllerchange', () => void onControllerChange())
}

const workerTimeoutMs = 3_000

/** Returns the build of a worker, or null if there is no worker or it does not respond. */
export async function readWorkerBuild(worker: ServiceWorker | null): Promise<string | null> {
  if (!worker) return null
  const workerBuild: Promise<string> = messageSW(worker, { type: 'build' } satisfies WorkerMessage)
  return await Promise.race([workerBuild, ports.wait(workerTimeoutMs).then(() => null)])
}

/** Marks a reload as needed if the worker's build is newer than the page's. This happens if the page was loaded without the worker. */
export async function compareBuilds(): Promise<void> {
  const workerBuild = await readWorkerBuild(navigator.serviceWorker.controller)
  if (workerBuild && getBuildNumber(workerBuild) > getBuildNumber(ports.build))
    setUpdateState({ kind: 'taken', isForced })
}
