import { headers } from '#contract/headers.ts'
import { createLocalProblem, readProblem } from '#contract/problem.ts'
import type { CallResult, DownloadedFile } from '#request/call-results.ts'
import { type ReadPorts, toForeignProblem } from '#request/page/direct-response.ts'
import { isFromServer } from '#request/transport/send-request.ts'

/** Resolves when the complete file has arrived. The browser keeps large files on disk. */
export async function readFileResponse(ports: ReadPorts, response: Response): Promise<CallResult<DownloadedFile>> {
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
