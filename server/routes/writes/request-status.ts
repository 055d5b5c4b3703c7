/** Returns the outcome of a write (protocol 13), or the progress of a job, whose id has no `~` in front (protocol 39). */
import { getRequest, voidRequest } from '#contract/requests.ts'
import type { Caller } from '#domain/access.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { createProcedureHandler, type EndpointHandler, type RequestContext } from '#server/http/route-handler.ts'
import { readJob } from '#server/use-cases/job-requests.ts'
import { readOutcome, voidIntent } from '#server/commands/execute.ts'

type StatusInput = { params: { id: string } }
type ReadStatus = (context: RequestContext, caller: Caller, intent: string) => Promise<StoredResponse>

const createStatusHandler =
  (
    readStatus: ReadStatus,
    readJobStatus: (context: RequestContext, caller: Caller, id: string) => ReturnType<typeof readJob>,
  ) =>
  async (context: RequestContext, { params: { id } }: StatusInput) => {
    const caller = requireCaller(context.principal)
    return id.startsWith('~')
      ? parseStoredResponse(await readStatus(context, caller, id.slice(1)))
      : await readJobStatus(context, caller, id)
  }

const parseStoredResponse = ({ status, headers, body }: StoredResponse) => ({
  status,
  headers,
  body: body === null ? null : JSON.parse(body),
})

export const requestStatusHandlers: EndpointHandler[] = [
  createProcedureHandler(
    getRequest,
    createStatusHandler(
      ({ app, language }, caller, intent) => readOutcome(app, caller, intent, language),
      ({ app, language }, caller, id) => readJob(app, caller, id, language),
    ),
  ),
  createProcedureHandler(
    voidRequest,
    createStatusHandler(
      ({ app, language, principal }, caller, intent) => voidIntent(app, caller, intent, language, principal.sessionId),
      // A job cannot be voided by its id, because it has already started.
      () => Promise.reject(createNotFoundProblem()),
    ),
  ),
]
