import { endOtherSessions, endSession, endUserSessions, listSessions } from '#contract/sessions.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import {
  createProcedureHandler,
  type EndpointHandler,
  createUseCaseHandler,
  type RequestContext,
} from '#server/http/route-handler.ts'
import {
  type SessionCaller,
  endSessionsByAdmin,
  endSessionById,
  endAllOtherSessions,
  listOwnSessions,
} from '#server/use-cases/sessions/sessions.ts'

const toSessionCaller = ({ principal, requestId }: RequestContext): SessionCaller => ({
  caller: requireCaller(principal),
  sessionId: principal.sessionId,
  requestId,
})

export const sessionHandlers: EndpointHandler[] = [
  createProcedureHandler(listSessions, async (context) => ({
    body: await listOwnSessions(context.app, toSessionCaller(context)),
  })),
  createProcedureHandler(endSession, async (context, { params }) => {
    await endSessionById(context.app, toSessionCaller(context), params.id)
    return { body: null }
  }),
  createProcedureHandler(endOtherSessions, async (context) => {
    await endAllOtherSessions(context.app, toSessionCaller(context))
    return { body: null }
  }),
  createUseCaseHandler(endUserSessions, endSessionsByAdmin),
]
