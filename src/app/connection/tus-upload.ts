/**
 * A package in pieces by tus 1.0 (U-13): the browser sends them, past worker and outbox, each with the token of its moment. What
 * was sent before the line dropped, or before a reload, is not sent again.
 */
import { type DetailedError, type HttpRequest, Upload } from 'tus-js-client'
import { headers } from '#contract/headers.ts'
import { localProblem, type Problem, readProblem } from '#contract/problem.ts'
import type { Result, SendOptions } from '#request/results.ts'
import { freshToken, sendSignedIn } from '#request/session/auth-fetch.ts'
import { currentSession } from '#request/session/current-session.ts'
import { problemOfForeign } from '#request/page/direct-response.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { problemOf } from '#request/transport/transport.ts'
import { createPieceSize, type PieceSize } from '#app/connection/piece-size.ts'
import { begunUploads } from '#app/connection/begun-uploads.ts'

const path = '/api/app/upload/tus'
/** In ms; from the first again as soon as anything was sent. Who asked is told after the last. */
const retryDelays = [200, 1_000, 2_000, 4_000]

/**
 * Resolves to the upload's id once the server has all of it; to OFFLINE where the line did not come back soon, to
 * UNREADABLE_FILE where the file can no longer be read, and never when `signal` ends it: what was sent stays.
 */
export function sendInPieces(
  ports: PagePorts,
  file: File,
  { md5, onBegun, onProgress, signal }: SendOptions,
): Promise<Result<{ id: string }>> {
  return new Promise((resolve) => {
    const bearer = signer(ports)
    const pieceSize = createPieceSize()
    const upload = new Upload(file, {
      endpoint: ports.origin + path,
      metadata: { filename: file.name },
      chunkSize: pieceSize.bytes,
      retryDelays,
      // Nothing that a person wrote stays on the device.
      fingerprint: async () => `${(await currentSession(ports))?.forUser ?? ''} ${md5}`,
      urlStorage: begunUploads(localStorage),
      removeFingerprintOnSuccess: true,
      onBeforeRequest: bearer.sign,
      onChunkComplete: (bytes) => {
        pieceSize.accepted(bytes)
        upload.options.chunkSize = pieceSize.bytes
      },
      onShouldRetry(error) {
        const mayTryAgain = fitPiece(pieceSize, error as DetailedError) ?? bearer.mayTryAgain(error as DetailedError)
        upload.options.chunkSize = pieceSize.bytes
        return mayTryAgain
      },
      onUploadUrlAvailable: () => onBegun(idIn(upload.url)),
      onProgress,
      onSuccess: () => resolve({ kind: 'fresh', output: { id: idIn(upload.url) } }),
      onError: (error) => void problemIn(ports, error).then((problem) => resolve({ kind: 'problem', problem })),
    })
    signal.addEventListener('abort', () => void upload.abort())
    void upload.findPreviousUploads().then(([before]) => {
      if (before) upload.resumeFromPreviousUpload(before)
      if (!signal.aborted) upload.start()
    })
  })
}

/** Whether a piece that was refused as too large, and not by our server, may go smaller. Null: it is about something else. */
function fitPiece(pieceSize: PieceSize, { originalRequest, originalResponse: answer }: DetailedError): boolean | null {
  if (originalRequest.getMethod() !== 'PATCH') return null
  const status = answer?.getStatus() ?? 0
  if (status === 0) pieceSize.broke()
  return status === 413 && !answer?.getHeader(headers.requestId) ? pieceSize.refused() : null
}

const idIn = (url: string | null) => url?.split('/').at(-1) ?? ''

/** Signs each request; a token that was refused is renewed once before it counts as a refusal. */
function signer(ports: PagePorts) {
  let used: string | null = null
  let refused: string | null = null
  return {
    async sign(request: HttpRequest) {
      const session = await currentSession(ports)
      used = await freshToken(ports, refused)
      // Without one the line is down as well; after a while who asked is told so.
      if (used === null) throw new Error('no token can be had now')
      request.setHeader('Authorization', `Bearer ${used}`)
      if (session) request.setHeader(headers.forUser, session.forUser)
      request.setHeader(headers.build, ports.build)
    },
    mayTryAgain({ originalResponse: answer }: DetailedError): boolean {
      const status = answer?.getStatus() ?? 0
      if (status === 401 && used !== refused) {
        refused = used
        return true
      }
      // 409, 423: an earlier piece is still being written down.
      return [0, 409, 423].includes(status) || status >= 500
    },
  }
}

async function problemIn(ports: PagePorts, error: Error | DetailedError): Promise<Problem> {
  const answer = 'originalResponse' in error ? error.originalResponse : null
  const status = answer?.getStatus() ?? 0
  if (answer && status > 0 && !answer.getHeader(headers.requestId))
    return await problemOfForeign(ports, { status, headers: new Headers() })
  if (answer && status > 0)
    return readProblem(answer.getStatus(), jsonIn(answer.getBody()), answer.getHeader(headers.requestId) ?? null)
  // Without a request nothing was sent: the file itself cannot be read.
  return localProblem('originalRequest' in error && error.originalRequest ? 'OFFLINE' : 'UNREADABLE_FILE')
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Takes back what was sent of it, whole or in part. */
export async function forgetUpload(ports: PagePorts, id: string): Promise<Result<null>> {
  const wire = { method: 'DELETE', path: `${path}/${id}`, headers: { 'tus-resumable': '1.0.0' }, body: null }
  const answer = await sendSignedIn(ports, wire)
  if (!answer) return { kind: 'problem', problem: localProblem('OFFLINE') }
  // Gone already, or its day was over: as wanted.
  if (answer.status < 300 || answer.status === 404) return { kind: 'fresh', output: null }
  return { kind: 'problem', problem: problemOf(answer) }
}
