/** What became of a write (protocol 13), and how far a long request is (protocol 39): a plain id names one. */
import { getRequest, voidRequest } from '#contract/requests.ts'
import type { Caller } from '#domain/access.ts'
import { callerOf } from '#server/http/session.ts'
import { notFound } from '#server/problem.ts'
import { conduct, type Handler, type Visit } from '#server/routes/handlers.ts'
import { askJob } from '#server/services/jobs.ts'
import { askWhatBecame, type Carried, voidIntent } from '#server/write.ts'

type Input = { params: { id: string } }
type Ask = (visit: Visit, caller: Caller, intent: string) => Promise<Carried>

const about =
  (ask: Ask, otherwise: (visit: Visit, caller: Caller, id: string) => ReturnType<typeof askJob>) =>
  async (visit: Visit, { params: { id } }: Input) => {
    const caller = callerOf(visit.visitor)
    return id.startsWith('~') ? asAnswer(await ask(visit, caller, id.slice(1))) : await otherwise(visit, caller, id)
  }

const asAnswer = ({ status, headers, body }: Carried) => ({
  status,
  headers,
  body: body === null ? null : JSON.parse(body),
})

export const requests: Handler[] = [
  conduct(
    getRequest,
    about(
      ({ house, language }, caller, intent) => askWhatBecame(house, caller, intent, language),
      ({ house, language }, caller, id) => askJob(house, caller, id, language),
    ),
  ),
  conduct(
    voidRequest,
    about(
      ({ house, language }, caller, intent) => voidIntent(house, caller, intent, language),
      // What has begun is not taken back by its id.
      () => Promise.reject(notFound()),
    ),
  ),
]
