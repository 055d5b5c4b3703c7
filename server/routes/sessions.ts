/** Where a user is signed in. */
import { endOtherSessions, endSession, endUserSessions, listSessions } from '#contract/sessions.ts'
import { callerOf } from '#server/http/session.ts'
import { conduct, type Handler, handle, type Visit } from '#server/routes/handlers.ts'
import { type Asker, endAll, endOne, endOthers, ownSessions } from '#server/services/sessions.ts'

const askerOf = ({ visitor, requestId }: Visit): Asker => ({
  caller: callerOf(visitor),
  sessionId: visitor.sessionId,
  requestId,
})

export const sessions: Handler[] = [
  conduct(listSessions, async (visit) => ({ body: await ownSessions(visit.house, askerOf(visit)) })),
  conduct(endSession, async (visit, { params }) => {
    await endOne(visit.house, askerOf(visit), params.id)
    return { body: null }
  }),
  conduct(endOtherSessions, async (visit) => {
    await endOthers(visit.house, askerOf(visit))
    return { body: null }
  }),
  handle(endUserSessions, endAll),
]
