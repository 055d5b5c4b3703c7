/** What became of a write (protocol 13). A plain id names a long request; there is none yet. */
import { getRequest, voidRequest } from '#contract/accounts.ts'
import type { Caller } from '#domain/access.ts'
import { callerOf } from '#server/http/session.ts'
import { notFound } from '#server/problem.ts'
import { conduct, type Handler, type Visit } from '#server/routes/handlers.ts'
import { askWhatBecame, type Carried, voidIntent } from '#server/write.ts'

type Ask = typeof askWhatBecame

const about =
  (ask: Ask) =>
  async (visit: Visit, { params }: { params: { id: string } }) => {
    const intent = params.id.startsWith('~') ? params.id.slice(1) : null
    if (intent === null) throw notFound()
    const caller: Caller = callerOf(visit.visitor)
    return asAnswer(await ask(visit.house, caller, intent, visit.language))
  }

const asAnswer = ({ status, headers, body }: Carried) => ({
  status,
  headers,
  body: body === null ? null : JSON.parse(body),
})

export const requests: Handler[] = [conduct(getRequest, about(askWhatBecame)), conduct(voidRequest, about(voidIntent))]
