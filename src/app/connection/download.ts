/** Downloads files from the server, without pipeline and worker but with the session's token. */
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { createLocalProblem, readProblem } from '#contract/problem.ts'
import type { DownloadedFile, CallResult } from '#request/call-results.ts'
import { toForeignProblem } from '#request/page/direct-response.ts'
import { isFromServer } from '#request/transport/send-request.ts'
import { getFreshToken } from '#request/session/send-signed-in.ts'
import { readCurrentSession } from '#request/session/current-session.ts'
import { ports } from '#app/connection/api.ts'

/** Resolves when the complete file has arrived. The browser keeps large files on disk. */
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
    if (!isFromServer(response)) return { kind: 'problem', problem: await toForeignProblem(ports, response) }
    if (!response.ok) {
      const body: unknown = await response.json().catch(() => null)
      return { kind: 'problem', problem: readProblem(response.status, body, response.headers.get(headers.requestId)) }
    }
    const name = readFileName(response.headers.get('content-disposition'))
    const bytes = await response.blob().catch(() => null)
    // The transfer was cut off. The server does this if it cannot read the remaining part of the file.
    if (!bytes) return { kind: 'problem', problem: createLocalProblem('DOWNLOAD_CUT') }
    return { kind: 'fresh', output: { bytes, name } }
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

/** Returns the server's file name; never a path. */
function readFileName(disposition: string | null): string | null {
  const [, encodedName] = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '') ?? []
  const [, plainName] = /filename="([^"]+)"/i.exec(disposition ?? '') ?? []
  const name = encodedName === undefined ? plainName : decodeName(encodedName)
  return name?.replaceAll(/[/\\:]/g, '_') ?? null
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
