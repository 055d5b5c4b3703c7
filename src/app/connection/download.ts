/** Downloads files from the server, without pipeline and worker but with the session's token. */
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { createLocalProblem } from '#contract/problem.ts'
import type { DownloadedFile, CallResult } from '#request/call-results.ts'
import { readFileResponse } from '#request/page/read-file-response.ts'
import { getFreshToken } from '#request/session/send-signed-in.ts'
import { readCurrentSession } from '#request/session/current-session.ts'
import { ports } from '#app/connection/api.ts'

export async function download<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
): Promise<CallResult<DownloadedFile>> {
  try {
    const { path } = toHttpRequest(endpoint, input as never)
    const token = await getFreshToken(ports, null)
    let response = token === null ? null : await fetchFile(path, token)
    if (response?.status === 401) {
      const newerToken = await getFreshToken(ports, token)
      if (newerToken !== null && newerToken !== token) response = await fetchFile(path, newerToken)
    }
    if (!response) return { kind: 'problem', problem: createLocalProblem('OFFLINE') }
    return await readFileResponse(ports, response)
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) ports.report(error)
    return { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  }
}

async function fetchFile(path: string, token: string): Promise<Response> {
  const session = await readCurrentSession(ports)
  return await fetch(path, {
    headers: {
      authorization: `Bearer ${token}`,
      [headers.build]: ports.build,
      ...(session ? { [headers.forUser]: session.forUser } : {}),
    },
    credentials: 'same-origin',
    cache: 'no-store',
  })
}
