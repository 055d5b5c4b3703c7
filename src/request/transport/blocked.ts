/** Refusals by something between this device and the server: a proxy, a firewall, a filter. They say nothing of the connection. */
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import {
  type BlockedResponse,
  type RequestData,
  type ResponseData,
  createLocalResponse,
} from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'

/** So often a request is tried before its user is told that it is refused on its way. */
export const maxBlockedTries = 3

export const isBlocked = (problem: Problem | null): problem is Problem => problem?.code === 'BLOCKED_BY_PROXY'

/** Any status may come from in between, a login page's 200 too: to the rest of the client it is an error. */
const getErrorStatus = ({ status }: BlockedResponse) => (status >= 400 && status <= 599 ? status : 502)

export const toBlockedProblem = (blockedResponse: BlockedResponse): Problem => ({
  ...createLocalProblem('BLOCKED_BY_PROXY'),
  status: getErrorStatus(blockedResponse),
  data: { status: blockedResponse.status },
})

/** The same as a response that this device gives. */
function toBlockedResponse(blockedResponse: BlockedResponse): ResponseData {
  const { status, code, message, data } = toBlockedProblem(blockedResponse)
  return createLocalResponse(status, { errorCode: code, errorMessage: message, data })
}

/**
 * Sends by `send`. Where something in between answered although our server can be reached, the response says so; null: there is no
 * connection, or a login page answers everything.
 */
export async function sendOrExplain(
  ports: Pick<PipelinePorts, 'network' | 'origin' | 'wait'>,
  request: RequestData,
  send: (request: RequestData) => Promise<ResponseData | null>,
): Promise<ResponseData | null> {
  let blockedResponse: BlockedResponse | null = null
  const response = await send({ ...request, onBlocked: (blockedBy) => void (blockedResponse = blockedBy) })
  if (response || !blockedResponse || !(await pingServer(ports))) return response
  return toBlockedResponse(blockedResponse)
}
