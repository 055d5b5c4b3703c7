/**
 * Handles refusals by a proxy, firewall or filter between this device and the server. They do not show whether the server can be reached.
 */
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import {
  type BlockedResponse,
  type RequestData,
  type ResponseData,
  createLocalResponse,
} from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'

export const maxBlockedTries = 3

export const isBlocked = (problem: Problem | null): problem is Problem => problem?.code === 'BLOCKED_BY_PROXY'

/** Returns an error status. A proxy may send any status, even a 200 with a login page, but the client must see an error. */
const getErrorStatus = ({ status }: BlockedResponse) => (status >= 400 && status <= 599 ? status : 502)

export const toBlockedProblem = (blockedResponse: BlockedResponse): Problem => ({
  ...createLocalProblem('BLOCKED_BY_PROXY'),
  status: getErrorStatus(blockedResponse),
  data: { status: blockedResponse.status },
})

function toBlockedResponse(blockedResponse: BlockedResponse): ResponseData {
  const { status, code, message, data } = toBlockedProblem(blockedResponse)
  return createLocalResponse(status, { errorCode: code, errorMessage: message, data })
}

/**
 * Sends with `send`. If a proxy responded although the server can be reached, returns a response with the problem BLOCKED_BY_PROXY. Returns
 * null if the server cannot be reached, for example if a login page responds to every request.
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
