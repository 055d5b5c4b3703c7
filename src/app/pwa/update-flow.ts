/**
 * How a new build of the client takes over: asked for, or, below the server's minimum, by itself; never over unsaved words
 * or a write on its way; in all tabs at once. What fails on the way leaves the old build in its place.
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
 * ready: a new build waits to be taken. taken: another tab took it, and this one kept its words: loading it is all that is
 * missing. held: agreed to, and something must end first. forced: the server asks for it, so there is no "later".
 */
export type UpdateState =
  | { kind: 'none' }
  | { kind: 'ready' | 'taken' | 'applying' | 'failed'; isForced: boolean }
  | { kind: 'held'; reason: 'typing' | 'sending'; isForced: boolean }

/** How long nobody sends for it: what waits to be sent is work of the old worker, which would not come to rest. */
const quietMs = 5_000
/**
 * A call that meets the old worker in the moment of its end brings it back, and the browser looks again only when that one
 * has had nothing to do for half a minute.
 */
const takeOverMs = 60_000
/** The old worker may be in the middle of something; Chromium gives it five minutes. */
const forceAgainMs = 10_000
/** A request's own limit and somewhat more: whoever sends longer than that has a dead line, and repeats. */
const sendingMs = 35_000

let updateState: UpdateState = { kind: 'none' }
let isForced = false
let abortController: AbortController | null = null
const listeners = new Set<(update: UpdateState) => void>()

function setUpdateState(newState: UpdateState): void {
  updateState = newState
  for (const listener of listeners) listener(newState)
}

/** Hears how it stands, at once and on every change. Returns how to stop. */
export function subscribeToUpdate(listener: (update: UpdateState) => void): () => void {
  listeners.add(listener)
  listener(updateState)
  return () => void listeners.delete(listener)
}

/** A new build is there: by a waiting worker, or on the server alone. */
export function markUpdateReady(): void {
  if (updateState.kind === 'none' || updateState.kind === 'failed') setUpdateState({ kind: 'ready', isForced })
  if (isForced) void applyUpdate()
}

/** This build is of no use any more: what waits is taken without asking, now or when it comes. */
export function forceUpdate(): void {
  if (isForced) return
  isForced = true
  if (updateState.kind !== 'none') markUpdateReady()
}

/** Not now: what was held goes on waiting to be asked for. */
export function postponeUpdate(): void {
  abortController?.abort()
}

/** Lets the waiting build take over once nothing is lost by it. Every tab loads itself when it does. */
export async function applyUpdate(): Promise<void> {
  if (updateState.kind === 'taken') return location.reload()
  if (updateState.kind === 'applying' || updateState.kind === 'held') return
  abortController = new AbortController()
  setUpdateState({ kind: 'held', reason: 'typing', isForced })
  try {
    // Without locks nobody can ask the other tabs: each of them looks at itself when the new build takes over.
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
  // Longer than any request lives: that tab sleeps, and what it sends is known again by its key.
  const { controllerChange } = lockResult ? lockResult.value : await startTakeOver()
  if (!controllerChange || (await isTakenOverWithin(controllerChange, takeOverMs))) return
  setUpdateState({ kind: 'failed', isForced })
  // Nobody is asked, so nobody asks again.
  if (isForced) void ports.wait(forceAgainMs).then(markUpdateReady)
}

/** Begins it; what comes of it within `quietMs`, and later, is told by `controllerChange`. Null: nothing was begun. */
async function startTakeOver(): Promise<{ controllerChange: Promise<unknown> | null }> {
  // Typed while the others were waited for.
  if (hasUnsavedInput()) {
    setUpdateState({ kind: 'ready', isForced })
    return { controllerChange: null }
  }
  setUpdateState({ kind: 'applying', isForced })
  const registration = await navigator.serviceWorker.getRegistration('/saas/')
  const waitingWorker = registration?.waiting
  // Only the server has it: no worker here, or none that stands between. Loading the page is all.
  if (!waitingWorker) {
    location.reload()
    return { controllerChange: null }
  }
  const controllerChange = new Promise((resolve) =>
    navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
  )
  void messageSW(waitingWorker, { type: 'SKIP_WAITING' } satisfies WorkerMessage)
  // The reload is everybody's own, below: until this page is gone nobody sends in between.
  if (await isTakenOverWithin(controllerChange, quietMs)) await ports.wait(quietMs)
  return { controllerChange }
}

const isTakenOverWithin = (controllerChange: Promise<unknown>, ms: number) =>
  Promise.race([controllerChange.then(() => true), ports.wait(ms).then(() => false)])

/** Follows who is in control: another build means that this page is one of yesterday. */
export function followController(): void {
  const workers = navigator.serviceWorker
  let hadController = workers.controller !== null
  const onControllerChange = async () => {
    // The first worker of a page's life is of its own build, unless the page was loaded past an older one.
    // One that does not say is no reason to take a page away.
    const isFirst = !hadController
    hadController = true
    if (isFirst && ((await readWorkerBuild(workers.controller)) ?? ports.build) === ports.build) return
    if (hasUnsavedInput()) return setUpdateState({ kind: 'taken', isForced })
    // A worker that takes itself away would control the page that is loaded before it is gone.
    if ((await fetchBuildInfo())?.bypass) await (await workers.getRegistration('/saas/'))?.unregister()
    location.reload()
  }
  workers.addEventListener('controllerchange', () => void onControllerChange())
}

const workerTimeoutMs = 3_000

/** The build of a worker; null: it does not say, or there is none. */
export async function readWorkerBuild(worker: ServiceWorker | null): Promise<string | null> {
  if (!worker) return null
  const workerBuild: Promise<string> = messageSW(worker, { type: 'build' } satisfies WorkerMessage)
  return await Promise.race([workerBuild, ports.wait(workerTimeoutMs).then(() => null)])
}

/** A page loaded past the worker may be older than it: then loading it again brings the newer one. */
export async function compareBuilds(): Promise<void> {
  const workerBuild = await readWorkerBuild(navigator.serviceWorker.controller)
  if (workerBuild && getBuildNumber(workerBuild) > getBuildNumber(ports.build))
    setUpdateState({ kind: 'taken', isForced })
}
