/**
 * Reads: lists and readings from the network or the device, all else signed in and sent. Apart from the pipeline, so that
 * the first page of all, which no worker serves yet, carries nothing of the writes.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { matcher } from '#contract/http-mapping.ts'
import { readSession } from '#local/session/session.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import { type ResponseData, isGood, toResponse } from '#request/transport/transport.ts'
import { answerList } from '#request/reads/list.ts'
import type { Ports } from '#request/ports.ts'
import type { Asked } from '#request/reads/read-context.ts'
import { answerReading } from '#request/reads/response.ts'

export async function read(ports: Ports, asked: Asked): Promise<ResponseData | null> {
  const { endpoint, letter } = asked
  const answer = await (endpoint.list
    ? answerList(ports, asked, endpoint.list)
    : endpoint.offline === 'read'
      ? answerReading(ports, asked)
      : sendOrExplain(ports, letter, (request) => sendSignedIn(ports, request, endpoint.who)))
  if (answer && isGood(answer) && !answer.headers.has(headers.kept)) ports.lasting(drainIfWaiting(ports))
  return answer
}

/** Any successful answer is a sign that what waits could go. */
async function drainIfWaiting(ports: Ports): Promise<void> {
  const device = await ports.device()
  const session = await readSession(device)
  if (!session || session.signedOut || (await device.of(session).outbox.count()) === 0) return
  const [{ hasSendable }, { sendOutbox: drain }] = await Promise.all([
    import('#local/outbox/status.ts'),
    import('#request/writes/sender.ts'),
  ])
  if (await hasSendable(device.of(session))) await drain(ports, { hurry: true })
}

/** A page's own reading where no worker is in control: whose address it is need not be looked up. Never rejects. */
export async function handleRead(request: Request, endpoint: Endpoint, ports: Ports): Promise<Response> {
  try {
    const { pathname, search } = new URL(request.url)
    const { params } = matcher([endpoint])(request.method, pathname) ?? { params: {} }
    const letter = {
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      body: null,
    }
    const answer = await read(ports, { endpoint, params, letter })
    return answer ? toResponse(answer) : Response.error()
  } catch (error) {
    ports.report(error)
    return Response.error()
  }
}
