/**
 * Whose session the page shows: the device's word, in this tab and all others, turned into the store's (M10). Loaded
 * beside the page and not before it: it brings the device's database along.
 */
import { getUser } from '#contract/accounts.ts'
import { localProblem } from '#contract/problem.ts'
import { onSessionChange, type Session } from '#local/session.ts'
import type { Api } from '#request/result.ts'
import { type SessionUser, sessionUnread, signedOut, userRead } from '#state/session.ts'
import type { Store } from '#state/store.ts'

export function watchSession(store: Store, api: Api) {
  let asked = 0
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
    const result = await api.ask(getUser, {})
    // Somebody else has signed in meanwhile: that change is being followed by its own call.
    if (mine !== asked) return
    const user = result.kind === 'fresh' || result.kind === 'kept' ? result.output : null
    if (user) store.dispatch(userRead(user as SessionUser))
    else if (store.getState().session.is === 'unknown')
      store.dispatch(sessionUnread(result.kind === 'problem' ? result.problem : localProblem('OFFLINE')))
  }
  return onSessionChange((session) => void follow(session))
}
