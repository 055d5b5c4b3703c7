/** Files that the server makes: bytes, which neither the pipeline nor the worker touches. Signed in as an upload in pieces is. */
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { toWire } from '#contract/http-mapping.ts'
import { localProblem, readProblem } from '#contract/problem.ts'
import type { DownloadedFile, Result } from '#request/results.ts'
import { problemOfForeign } from '#request/page/direct-response.ts'
import { isFromServer } from '#request/transport/transport.ts'
import { freshToken } from '#request/session/auth-fetch.ts'
import { currentSession } from '#request/session/current-session.ts'
import { ports } from '#app/connection/api.ts'

/** Resolves when all of it is here; the browser keeps what is large on its disk. */
export async function download<E extends Endpoint>(endpoint: E, input: InputOf<E>): Promise<Result<DownloadedFile>> {
  try {
    const { path } = toWire(endpoint, input as never)
    const token = await freshToken(ports, null)
    let answer = token === null ? null : await ask(path, token)
    // A token that has run out meanwhile is renewed once.
    if (answer?.status === 401) {
      const newer = await freshToken(ports, token)
      if (newer !== null && newer !== token) answer = await ask(path, newer)
    }
    if (!answer) return { kind: 'problem', problem: localProblem('OFFLINE') }
    // What a proxy or a hotel's network puts in between is no file.
    if (!isFromServer(answer)) return { kind: 'problem', problem: await problemOfForeign(ports, answer) }
    if (!answer.ok) {
      const body: unknown = await answer.json().catch(() => null)
      return { kind: 'problem', problem: readProblem(answer.status, body, answer.headers.get(headers.requestId)) }
    }
    const name = nameIn(answer.headers.get('content-disposition'))
    const bytes = await answer.blob().catch(() => null)
    // Cut off on its way: the server says by that alone that the rest could not be read.
    if (!bytes) return { kind: 'problem', problem: localProblem('DOWNLOAD_CUT') }
    return { kind: 'fresh', output: { bytes, name } }
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) ports.report(error)
    return { kind: 'problem', problem: localProblem('OFFLINE') }
  }
}

async function ask(path: string, token: string): Promise<Response> {
  const session = await currentSession(ports)
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

/** As the server named it; never a path. */
function nameIn(disposition: string | null): string | null {
  const [, long] = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '') ?? []
  const [, short] = /filename="([^"]+)"/i.exec(disposition ?? '') ?? []
  const name = long === undefined ? short : decoded(long)
  return name?.replaceAll(/[/\\:]/g, '_') ?? null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
