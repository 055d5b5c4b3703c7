/** What became of a write (protocol 13), and how far a long request is (protocol 39): a plain id names one. */
import { getRequest, voidRequest } from '#contract/requests.ts'
import type { Caller } from '#domain/access.ts'
import type { StoredResponse } from '#server/commands/command.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { procedureHandler, type Handler, type RequestContext } from '#server/http/route-handler.ts'
import { askJob } from '#server/use-cases/job-requests.ts'
import { readOutcome, voidIntent } from '#server/commands/execute.ts'

type Input = { params: { id: string } }
type Ask = (visit: RequestContext, caller: Caller, intent: string) => Promise<StoredResponse>

const about =
  (ask: Ask, otherwise: (visit: RequestContext, caller: Caller, id: string) => ReturnType<typeof askJob>) =>
  async (visit: RequestContext, { params: { id } }: Input) => {
    const caller = requireCaller(visit.principal)
    return id.startsWith('~') ? asAnswer(await ask(visit, caller, id.slice(1))) : await otherwise(visit, caller, id)
  }

const asAnswer = ({ status, headers, body }: StoredResponse) => ({
  status,
  headers,
  body: body === null ? null : JSON.parse(body),
})

export const requests: Handler[] = [
  procedureHandler(
    getRequest,
    about(
      ({ app, language }, caller, intent) => readOutcome(app, caller, intent, language),
      ({ app, language }, caller, id) => askJob(app, caller, id, language),
    ),
  ),
  procedureHandler(
    voidRequest,
    about(
      ({ app, language }, caller, intent) => voidIntent(app, caller, intent, language),
      // What has begun is not taken back by its id.
      () => Promise.reject(notFound()),
    ),
  ),
]
