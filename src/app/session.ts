/**
 * Whose session the page shows: the device's word, in this tab and all others, turned into the store's (M10). Loaded
 * beside the page and not before it: it brings the device's database along.
 */
import { getUser } from '#contract/accounts.ts'
import { localProblem } from '#contract/problem.ts'
import { toWire } from '#contract/wire.ts'
import { readReading } from '#local/readings.ts'
import { onSessionChange, readSession, type Session } from '#local/session.ts'
import type { Api } from '#request/result.ts'
import { type SessionUser, sessionUnread, signedOut, userRead } from '#state/session.ts'
import type { Store } from '#state/store.ts'
import { whenIdle } from '#app/idle.ts'

const ownPath = toWire(getUser, {}).path

// Opened while the rest of the page is still being read in.
void readSession().catch(() => undefined)

/** `drawable`: nobody is shown before the first page can be, or there would be a frame with a hole in it. */
export function watchSession(store: Store, api: Api, drawable: Promise<void>) {
  let asked = 0
  let said = ''
  function show(user: SessionUser) {
    const now = JSON.stringify(user)
    const isShown = store.getState().session.is === 'signed in' && now === said
    said = now
    if (!isShown) store.dispatch(userRead(user))
  }
  async function follow(session: Session | null) {
    asked += 1
    const mine = asked
    const shown = store.getState().session
    if (!session || session.signedOut) {
      // Rows are wiped by then, and what is on the screen must not stay either.
      if (shown.is !== 'signed out')
        store.dispatch(signedOut(session ? 'left' : shown.is === 'unknown' ? 'nobody' : 'ended'))
      return
    }
    // What the device knows is shown at once; the server's word only corrects it (M10).
    const [kept] = await Promise.all([readReading(ownPath, session).catch(() => null), drawable])
    if (mine !== asked) return
    if (kept) {
      show(kept as SessionUser)
      await whenIdle()
    }
    const result = await api.ask(getUser, {})
    // Somebody else has signed in meanwhile: that change is being followed by its own call.
    if (mine !== asked) return
    const user = result.kind === 'fresh' || result.kind === 'kept' ? result.output : null
    if (user) show(user as SessionUser)
    else if (store.getState().session.is === 'unknown')
      store.dispatch(sessionUnread(result.kind === 'problem' ? result.problem : localProblem('OFFLINE')))
  }
  return onSessionChange((session) => void follow(session))
}
