/** Where a user is signed in. */
import { endOtherSessions, endSession, endUserSessions, listSessions } from '#contract/sessions.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { procedureHandler, type Handler, useCaseHandler, type RequestContext } from '#server/http/route-handler.ts'
import { type Asker, endAll, endOne, endOthers, ownSessions } from '#server/use-cases/sessions/sessions.ts'

const askerOf = ({ principal, requestId }: RequestContext): Asker => ({
  caller: requireCaller(principal),
  sessionId: principal.sessionId,
  requestId,
})

export const sessions: Handler[] = [
  procedureHandler(listSessions, async (visit) => ({ body: await ownSessions(visit.app, askerOf(visit)) })),
  procedureHandler(endSession, async (visit, { params }) => {
    await endOne(visit.app, askerOf(visit), params.id)
    return { body: null }
  }),
  procedureHandler(endOtherSessions, async (visit) => {
    await endOthers(visit.app, askerOf(visit))
    return { body: null }
  }),
  useCaseHandler(endUserSessions, endAll),
]
