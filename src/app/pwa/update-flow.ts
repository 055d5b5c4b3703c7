/**
 * How a new build of the client takes over: asked for, or, below the server's minimum, by itself; never over unsaved words
 * or a write on its way; in all tabs at once. What fails on the way leaves the old build in its place.
 */
import { messageSW } from 'workbox-window'
import { numberOf } from '#contract/client-build.ts'
import { readSession } from '#local/session/session.ts'
import { thisDevice } from '#local/storage/device.ts'
import type { WorkerMessage } from '#request/ports.ts'
import { ports } from '#app/connection/api.ts'
import { isTyping, typingLock } from '#app/pwa/unsaved-input.ts'
import { askWord } from '#app/pwa/build-info.ts'

/**
 * ready: a new build waits to be taken. taken: another tab took it, and this one kept its words: loading it is all that is
 * missing. held: agreed to, and something must end first. forced: the server asks for it, so there is no "later".
 */
export type Update =
  | { kind: 'none' }
  | { kind: 'ready' | 'taken' | 'applying' | 'failed'; forced: boolean }
  | { kind: 'held'; by: 'typing' | 'sending'; forced: boolean }

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

let now: Update = { kind: 'none' }
let forced = false
let giveUp: AbortController | null = null
const hearers = new Set<(update: Update) => void>()

function say(next: Update): void {
  now = next
  for (const hear of hearers) hear(next)
}

/** Hears how it stands, at once and on every change. Returns how to stop. */
export function onUpdate(hear: (update: Update) => void): () => void {
  hearers.add(hear)
  hear(now)
  return () => void hearers.delete(hear)
}

/** A new build is there: by a waiting worker, or on the server alone. */
export function noteReady(): void {
  if (now.kind === 'none' || now.kind === 'failed') say({ kind: 'ready', forced })
  if (forced) void applyUpdate()
}

/** This build is of no use any more: what waits is taken without asking, now or when it comes. */
export function force(): void {
  if (forced) return
  forced = true
  if (now.kind !== 'none') noteReady()
}

/** Not now: what was held goes on waiting to be asked for. */
export function putOff(): void {
  giveUp?.abort()
}

/** Lets the waiting build take over once nothing is lost by it. Every tab loads itself when it does. */
export async function applyUpdate(): Promise<void> {
  if (now.kind === 'taken') return location.reload()
  if (now.kind === 'applying' || now.kind === 'held') return
  giveUp = new AbortController()
  say({ kind: 'held', by: 'typing', forced })
  try {
    // Without locks nobody can ask the other tabs: each of them looks at itself when the new build takes over.
    if (!navigator.locks) await whenNothingIsSent()
    else await navigator.locks.request(typingLock, { signal: giveUp.signal }, whenNothingIsSent)
  } catch (error) {
    say({ kind: giveUp.signal.aborted ? 'ready' : 'failed', forced })
    if (!giveUp.signal.aborted) ports.report(error)
  }
}

async function whenNothingIsSent(): Promise<void> {
  say({ kind: 'held', by: 'sending', forced })
  const [session, { senderLock: drainLock }] = await Promise.all([readSession(), import('#request/writes/sender.ts')])
  const lock = session ? drainLock(thisDevice().of(session)) : 'portal-nobody'
  const held = await ports.locks.hold(lock, { waitMs: sendingMs }, takeOver)
  // Longer than any request lives: that tab sleeps, and what it sends is known again by its key.
  const { taken } = held ? held.value : await takeOver()
  if (!taken || (await isTakenWithin(taken, takeOverMs))) return
  say({ kind: 'failed', forced })
  // Nobody is asked, so nobody asks again.
  if (forced) void ports.wait(forceAgainMs).then(noteReady)
}

/** Begins it; what comes of it within `quietMs`, and later, is told by `taken`. Null: nothing was begun. */
async function takeOver(): Promise<{ taken: Promise<unknown> | null }> {
  // Typed while the others were waited for.
  if (isTyping()) {
    say({ kind: 'ready', forced })
    return { taken: null }
  }
  say({ kind: 'applying', forced })
  const registration = await navigator.serviceWorker.getRegistration('/saas/')
  const waiting = registration?.waiting
  // Only the server has it: no worker here, or none that stands between. Loading the page is all.
  if (!waiting) {
    location.reload()
    return { taken: null }
  }
  const taken = new Promise((resolve) =>
    navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
  )
  void messageSW(waiting, { type: 'SKIP_WAITING' } satisfies WorkerMessage)
  // The reload is everybody's own, below: until this page is gone nobody sends in between.
  if (await isTakenWithin(taken, quietMs)) await ports.wait(quietMs)
  return { taken }
}

const isTakenWithin = (taken: Promise<unknown>, ms: number) =>
  Promise.race([taken.then(() => true), ports.wait(ms).then(() => false)])

/** Follows who is in control: another build means that this page is one of yesterday. */
export function followController(): void {
  const workers = navigator.serviceWorker
  let had = workers.controller !== null
  const follow = async () => {
    // The first worker of a page's life is of its own build, unless the page was loaded past an older one.
    // One that does not say is no reason to take a page away.
    const isFirst = !had
    had = true
    if (isFirst && ((await buildOf(workers.controller)) ?? ports.build) === ports.build) return
    if (isTyping()) return say({ kind: 'taken', forced })
    // A worker that takes itself away would control the page that is loaded before it is gone.
    if ((await askWord())?.bypass) await (await workers.getRegistration('/saas/'))?.unregister()
    location.reload()
  }
  workers.addEventListener('controllerchange', () => void follow())
}

const answerMs = 3_000

/** The build of a worker; null: it does not say, or there is none. */
export async function buildOf(worker: ServiceWorker | null): Promise<string | null> {
  if (!worker) return null
  const said: Promise<string> = messageSW(worker, { type: 'build' } satisfies WorkerMessage)
  return await Promise.race([said, ports.wait(answerMs).then(() => null)])
}

/** A page loaded past the worker may be older than it: then loading it again brings the newer one. */
export async function compareBuilds(): Promise<void> {
  const theirs = await buildOf(navigator.serviceWorker.controller)
  if (theirs && numberOf(theirs) > numberOf(ports.build)) say({ kind: 'taken', forced })
}
