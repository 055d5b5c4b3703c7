/** Refusals by something between this device and the server: a proxy, a firewall, a filter. They say nothing of the connection. */
import { localProblem, type Problem } from '#contract/problem.ts'
import { isServerThere } from '#request/transport/ping.ts'
import {
  type BlockedResponse,
  type RequestData,
  type ResponseData,
  localResponse,
} from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'

/** So often a request is tried before its user is told that it is refused on its way. */
export const maxBlockedTries = 3

export const isBlocked = (problem: Problem | null): problem is Problem => problem?.code === 'BLOCKED_BY_PROXY'

/** Any status may come from in between, a login page's 200 too: to the rest of the client it is an error. */
const errorStatus = ({ status }: BlockedResponse) => (status >= 400 && status <= 599 ? status : 502)

export const blockedProblem = (blocked: BlockedResponse): Problem => ({
  ...localProblem('BLOCKED_BY_PROXY'),
  status: errorStatus(blocked),
  data: { status: blocked.status },
})

/** The same as a response that this device gives. */
function blockedResponse(blocked: BlockedResponse): ResponseData {
  const { status, code, message, data } = blockedProblem(blocked)
  return localResponse(status, { errorCode: code, errorMessage: message, data })
}

/**
 * Sends by `send`. Where something in between answered although our server can be reached, the response says so; null: there is no
 * connection, or a login page answers everything.
 */
export async function sendOrExplain(
  ports: Pick<Ports, 'network' | 'origin' | 'wait'>,
  request: RequestData,
  send: (request: RequestData) => Promise<ResponseData | null>,
): Promise<ResponseData | null> {
  let blocked: BlockedResponse | null = null
  const response = await send({ ...request, onBlocked: (by) => void (blocked = by) })
  if (response || !blocked || !(await isServerThere(ports))) return response
  return blockedResponse(blocked)
}
