/** Answers a read endpoint that is no list: from the network, or the cached response when there is none. */
import { headers } from '#contract/headers.ts'
import { storeReading } from '#local/lists/response-store.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import { type ResponseData, isGood, jsonOf } from '#request/transport/transport.ts'
import { fromDevice, race } from '#request/reads/list.ts'
import type { Ports } from '#request/ports.ts'
import { type Asked, guardFor, kept, whoNow } from '#request/reads/read-context.ts'

export async function answerReading(ports: Ports, asked: Asked): Promise<ResponseData | null> {
  const fresh = askReading(ports, asked)
  return await race(ports, fresh, () => keptAnswer(ports, asked))
}

async function askReading(ports: Ports, { endpoint, letter }: Asked): Promise<ResponseData | null> {
  const { session, guard: before } = await whoNow(ports)
  const answer = await sendOrExplain(ports, letter, (request) => sendSignedIn(ports, request, endpoint.who, session))
  if (!answer || !isGood(answer)) return answer
  if (jsonOf(answer) === undefined) return null
  const guard = await guardFor(ports, before, answer)
  const asOf = Number(answer.headers.get(headers.asOf) ?? ports.clock())
  const reading = { path: letter.path, body: answer.text, asOf }
  if (guard) await kept(ports, () => storeReading(guard.db, reading, guard.generation))
  return answer
}

/** The last answer to the same question; of an audit trail that is kept, what follows from its entries. */
async function keptAnswer(ports: Ports, asked: Asked): Promise<ResponseData | null> {
  const last = () => keptReading(ports, asked.letter.path)
  if (!asked.endpoint.path.startsWith('/api/systrail')) return await last()
  return await (await import(/* chunk: trail-device */ '#request/reads/kept-trail.ts')).answerOfTrail(
    ports,
    asked,
    last,
  )
}

async function keptReading(ports: Ports, path: string): Promise<ResponseData | null> {
  const { guard } = await whoNow(ports)
  const reading = await guard?.db.responses.get(path)
  return reading ? fromDevice(JSON.parse(reading.body), reading.asOf) : null
}
