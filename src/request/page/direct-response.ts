/** Responses to what a page sends past the pipeline: secrets and files. */
import { localProblem, type Problem } from '#contract/problem.ts'
import { toResult } from '#request/transport/http.ts'
import type { Ports } from '#request/ports.ts'
import type { Result } from '#request/results.ts'
import { blockedProblem } from '#request/transport/blocked.ts'
import { isServerThere } from '#request/transport/ping.ts'
import { isFromServer, retryAfterMs } from '#request/transport/transport.ts'

export async function readDirectResponse(ports: Ports, response: Response): Promise<Result<unknown>> {
  if (isFromServer(response)) return await toResult(response)
  return { kind: 'problem', problem: await problemOfForeign(ports, response) }
}

/** Of a response that is not our server's: whether it stands for the connection depends on whether the server is there for others. */
export async function problemOfForeign(
  ports: Pick<Ports, 'network' | 'origin' | 'wait'>,
  response: Pick<Response, 'status' | 'headers'>,
): Promise<Problem> {
  if (!(await isServerThere(ports))) return localProblem('NEEDS_CONNECTION')
  return blockedProblem({ status: response.status, retryAfterMs: retryAfterMs(response) })
}
