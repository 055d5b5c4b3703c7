/**
 * Whose session the page shows: the device's word, in this tab and all others, turned into the store's (M10). Loaded
 * beside the page and not before it: it brings the device's database along.
 */
import { getUser } from '#contract/accounts.ts'
import { localProblem } from '#contract/problem.ts'
import { storeOwnAccount } from '#local/session/own-account.ts'
import { onSessionChange, type Session } from '#local/session/session.ts'
import type { WorkerMessage } from '#request/ports.ts'
import type { Api } from '#request/results.ts'
import { type SessionUser, sessionUnread, signedOut, userRead } from '#state/session-slice.ts'
import { onChanged } from '#state/live-changes.ts'
import type { Store } from '#state/store.ts'
import { whenIdle } from '#app/browser/idle.ts'
import { watchDatabase } from '#app/connection/database-watch.ts'
import { known, readCachedUser } from '#app/connection/current-user.ts'

/** `drawable`: nobody is shown before the first page can be, or there would be a frame with a hole in it. */
export function watchSession(store: Store, api: Api, drawable: Promise<void>) {
  let asked = 0
  let said = ''
  let last: string | undefined
  function show(user: SessionUser) {
    const now = JSON.stringify(user)
    const isShown = store.getState().session.kind === 'signed in' && now === said
    said = now
    if (!isShown) store.dispatch(userRead(user))
  }
  /** What a lost right showed goes from the device before pages read anew. */
  async function correct(user: SessionUser) {
    const mine = asked
    if (said && said !== JSON.stringify(user))
      await import(/* chunk: online-rights */ '#local/storage/forget-lost-rights.ts')
        .then(({ forgetLostRights }) => forgetLostRights(JSON.parse(said) as SessionUser, user))
        .catch(() => undefined)
    if (mine === asked) show(user)
  }
  async function follow(session: Session | null) {
    asked += 1
    const mine = asked
    const subject = session && !session.signedOut ? `${session.companyId} ${session.userId}` : ''
    if (subject === '' || subject !== (last ?? subject)) forgetMedia()
    last = subject
    const shown = store.getState().session
    if (!session || session.signedOut) {
      // Rows are wiped by then, and what is on the screen must not stay either.
      if (shown.kind !== 'signed out')
        store.dispatch(signedOut(session ? 'left' : shown.kind === 'unknown' ? 'nobody' : 'ended'))
      return
    }
    // What the device knows is shown at once; the server's word only corrects it (M10).
    const [kept] = await Promise.all([mine === 1 ? keptOf(session) : readCachedUser(session), drawable])
    if (mine !== asked) return
    if (kept) {
      show(kept)
      await whenIdle()
    }
    const result = await api.call(getUser, {})
    // Somebody else has signed in meanwhile: that change is being followed by its own call.
    if (mine !== asked) return
    const user = result.kind === 'fresh' || result.kind === 'kept' ? result.output : null
    if (user) await correct(user as SessionUser)
    if (result.kind === 'fresh') keepAccount(session)
    else if (!user && store.getState().session.kind === 'unknown') {
      store.dispatch(sessionUnread(result.kind === 'problem' ? result.problem : localProblem('OFFLINE')))
      // Nobody has to reload for a connection that is back.
      setTimeout(() => mine === asked && void follow(session), unreadRetryMs)
    }
  }
  /** As the store has it, which holds no keys. */
  function keepAccount(session: Session) {
    const shown = store.getState().session
    if (shown.kind === 'signed in') void storeOwnAccount(session, shown.user).catch(() => undefined)
  }
  // The server has said that rights or names have changed, or has refused what this page took for allowed.
  const refresh = atMostEvery(refreshLeastMs, async () => {
    if (store.getState().session.kind !== 'signed in') return
    const mine = asked
    const result = await api.call(getUser, {})
    if (mine === asked && result.kind === 'fresh') await correct(result.output as SessionUser)
  })
  const stopHearing = onChanged('account', refresh)
  // What was looked up at the start is there before the first word of the live query, which says it once more.
  let heard: string | undefined
  function hear(session: Session | null) {
    const state = session ? `${session.generation} ${session.signedOut}` : ''
    if (state !== heard) void follow(session)
    heard = state
  }
  void known.then(({ session }) => heard === undefined && session && hear(session))
  const stopFollowing = onSessionChange(hear)
  const stopWatching = watchDatabase(store)
  return () => {
    stopWatching()
    stopHearing()
    stopFollowing()
  }
}

/** In ms. */
const refreshLeastMs = 2_000
const unreadRetryMs = 3_000

/** Runs `act` at once, but never again before it has ended and `leastMs` have passed; what comes meanwhile runs it once more. */
function atMostEvery(leastMs: number, act: () => Promise<void>): () => void {
  let isResting = false
  let isWanted = false
  const run = async () => {
    if (isResting) return void (isWanted = true)
    isResting = true
    isWanted = false
    await Promise.allSettled([act(), new Promise((resolve) => setTimeout(resolve, leastMs))])
    isResting = false
    if (isWanted) void run()
  }
  return () => void run()
}

/** Pictures that the worker stored while somebody else was here, or before everybody left. */
function forgetMedia(): void {
  const message: WorkerMessage = { type: 'forget' }
  navigator.serviceWorker?.controller?.postMessage(message)
}

/** What was read at the start, as long as it is still the same session. */
async function keptOf(session: Session): Promise<SessionUser | null> {
  const start = await known
  return start.session?.generation === session.generation && start.kept ? start.kept : await readCachedUser(session)
}
