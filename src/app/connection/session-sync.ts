/** Copies the session from the device to the store, also from other tabs (M10). Loaded in parallel with the page. */
import { getUser } from '#contract/accounts.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { storeOwnAccount } from '#local/session/own-account.ts'
import { endOverdueActing, subscribeToSession, type Session } from '#local/session/session.ts'
import { getThisDevice } from '#local/storage/device.ts'
import type { WorkerMessage } from '#request/ports.ts'
import type { ApiClient } from '#request/call-results.ts'
import { type SessionUser, sessionReadFailed, signedOut, userRead } from '#state/session-slice.ts'
import { subscribeToChanges } from '#state/live-changes.ts'
import type { AppStore } from '#state/store.ts'
import { waitForIdle } from '#app/browser/idle.ts'
import { watchDatabase } from '#app/connection/database-watch.ts'
import { closeOtherPushes } from '#app/connection/close-pushes.ts'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import { initialUser, readCachedUser } from '#app/connection/cached-user.ts'

/** `pageReady`: the user is shown only when the first page can be rendered, so that the layout does not appear without content. */
export function watchSession(store: AppStore, api: ApiClient, pageReady: Promise<void>) {
  let followCount = 0
  let shownUserJson = ''
  let lastSubject: string | undefined
  function showUser(user: SessionUser) {
    const userJson = JSON.stringify(user)
    const isShown = store.getState().session.kind === 'signed in' && userJson === shownUserJson
    shownUserJson = userJson
    if (!isShown) store.dispatch(userRead(user))
  }
  async function correctUser(user: SessionUser) {
    const ownCount = followCount
    if (shownUserJson && shownUserJson !== JSON.stringify(user))
      await import(/* chunk: online-rights */ '#local/storage/forget-lost-rights.ts')
        .then(({ forgetLostRights }) => forgetLostRights(JSON.parse(shownUserJson) as SessionUser, user))
        .catch(() => undefined)
    if (ownCount === followCount) showUser(user)
  }
  async function followSession(session: Session | null) {
    followCount += 1
    const ownCount = followCount
    // The end of a consent also counts offline. It changes the session, which calls this function again.
    if (session?.actingUntil !== undefined && (await hasStoppedActing(session.actingUntil))) return
    if (ownCount !== followCount) return
    const activeSession = session?.signedOut ? null : session
    const subject = activeSession ? `${activeSession.companyId} ${activeSession.userId}` : ''
    if (subject === '' || subject !== (lastSubject ?? subject)) forgetMedia()
    lastSubject = subject
    void closeOtherPushes(subject.replace(' ', ':')).catch(() => undefined)
    if (!activeSession) return showSignedOut(session !== null)
    // The cached user is shown without waiting for the server, whose response only corrects it (M10).
    const [cachedUser] = await Promise.all([
      ownCount === 1 ? findInitialUser(activeSession) : readCachedUser(activeSession),
      pageReady,
    ])
    if (ownCount !== followCount) return
    if (cachedUser) {
      showUser(cachedUser)
      await waitForIdle()
    }
    await readUser(activeSession, ownCount)
  }
  /**
   * Stops acting if the consent is over. The server is asked first: if only this device's clock is ahead, the server still allows it, and its
   * next response would return the device to the customer.
   */
  async function hasStoppedActing(until: number): Promise<boolean> {
    if (until > getBusinessNow()) return false
    const result = await import('#contract/staff/acting-calls.ts')
      .then(({ stopActing }) => api.call(stopActing, {}))
      .catch(() => null)
    return (result !== null && result.kind !== 'problem') || (await endOverdueActing(getThisDevice(), getBusinessNow()))
  }
  /** The cached rows are already deleted at this time. `hasLeft`: the user signed out on this device. */
  function showSignedOut(hasLeft: boolean) {
    const { kind } = store.getState().session
    if (kind !== 'signed out') store.dispatch(signedOut(hasLeft ? 'left' : kind === 'unknown' ? 'noSession' : 'ended'))
  }
  async function readUser(session: Session, ownCount: number) {
    const result = await api.call(getUser, {})
    // The session has changed meanwhile. That change triggers its own call.
    if (ownCount !== followCount) return
    const user = result.kind === 'fresh' || result.kind === 'cached' ? result.output : null
    if (user) await correctUser(user as SessionUser)
    if (result.kind === 'fresh') storeAccount(session)
    else if (!user && store.getState().session.kind === 'unknown') {
      store.dispatch(sessionReadFailed(result.kind === 'problem' ? result.problem : createLocalProblem('OFFLINE')))
      // Retries, so that the user need not reload after a reconnect.
      setTimeout(() => ownCount === followCount && void followSession(session), unreadRetryMs)
    }
  }
  /** Takes the user from the store, which contains no keys. */
  function storeAccount(session: Session) {
    const pageSession = store.getState().session
    if (pageSession.kind === 'signed in') void storeOwnAccount(session, pageSession.user).catch(() => undefined)
  }
  // Runs when the server reports a change of rights or names, or has refused a call that this page considered allowed.
  const refresh = throttle(minRefreshMs, async () => {
    if (store.getState().session.kind !== 'signed in') return
    const ownCount = followCount
    const result = await api.call(getUser, {})
    if (ownCount === followCount && result.kind === 'fresh') await correctUser(result.output as SessionUser)
  })
  const stopListening = subscribeToChanges('account', refresh)
  // Uses the session that was read at the start until the live query returns. If the live query returns the same session, it is ignored.
  let lastState: string | undefined
  function handleSession(session: Session | null) {
    const state = session ? `${session.generation} ${session.signedOut}` : ''
    if (state !== lastState) void followSession(session)
    lastState = state
  }
  void initialUser.then(({ session }) => lastState === undefined && session && handleSession(session))
  const stopFollowing = subscribeToSession(handleSession)
  const stopWatching = watchDatabase(store)
  return () => {
    stopWatching()
    stopListening()
    stopFollowing()
  }
}

/** Minimum time between two reads of the user, in ms. */
const minRefreshMs = 2_000
const unreadRetryMs = 3_000

/**
 * Returns a function that runs `action` immediately, but again only after the last run has ended and `minMs` have passed. All calls in
 * between cause one more run.
 */
function throttle(minMs: number, action: () => Promise<void>): () => void {
  let isResting = false
  let isRunPending = false
  const run = async () => {
    if (isResting) return void (isRunPending = true)
    isResting = true
    isRunPending = false
    await Promise.allSettled([action(), new Promise((resolve) => setTimeout(resolve, minMs))])
    isResting = false
    if (isRunPending) void run()
  }
  return () => void run()
}

function forgetMedia(): void {
  const message: WorkerMessage = { type: 'forget' }
  navigator.serviceWorker?.controller?.postMessage(message)
}

async function findInitialUser(session: Session): Promise<SessionUser | null> {
  const initial = await initialUser
  return initial.session?.generation === session.generation && initial.cachedUser
    ? initial.cachedUser
    : await readCachedUser(session)
}
