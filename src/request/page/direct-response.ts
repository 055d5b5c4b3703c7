import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { toCallResult } from '#request/transport/call-http.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CallResult } from '#request/call-results.ts'
import { toBlockedProblem } from '#request/transport/blocked.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import { isFromServer, parseRetryAfterMs } from '#request/transport/send-request.ts'

export type ReadPorts = Pick<PipelinePorts, 'network' | 'origin' | 'wait'>

export async function readDirectResponse(ports: ReadPorts, response: Response): Promise<CallResult<unknown>> {
  if (isFromServer(response)) return await toCallResult(response)
  return { kind: 'problem', problem: await toForeignProblem(ports, response) }
}

/**
 * Returns the problem of a response that is not the portal's: a lost connection if a ping fails too, else a proxy that blocks the request.
 */
export async function toForeignProblem(
  ports: ReadPorts,
  response: Pick<Response, 'status' | 'headers'>,
): Promise<Problem> {
  if (!(await pingServer(ports))) return createLocalProblem('NEEDS_CONNECTION')
  return toBlockedProblem({ status: response.status, retryAfterMs: parseRetryAfterMs(response) })
}
