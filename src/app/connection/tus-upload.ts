/**
 * A package in pieces by tus 1.0 (U-13): the browser sends them, past worker and outbox, each with the token of its moment. What
 * was sent before the line dropped, or before a reload, is not sent again.
 */
import { type DetailedError, type HttpRequest, Upload } from 'tus-js-client'
import { headers } from '#contract/headers.ts'
import { createLocalProblem, type Problem, readProblem } from '#contract/problem.ts'
import type { CallResult, SendOptions } from '#request/call-results.ts'
import { getFreshToken, sendSignedIn } from '#request/session/send-signed-in.ts'
import { readCurrentSession } from '#request/session/current-session.ts'
import { toForeignProblem } from '#request/page/direct-response.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { parseJsonText } from '#request/transport/call-http.ts'
import { toProblem } from '#request/transport/send-request.ts'
import { createPieceSize, type PieceSize } from '#app/connection/piece-size.ts'
import { createStartedUploads } from '#app/connection/started-uploads.ts'

const uploadPath = '/api/app/upload/tus'
/** In ms; from the first again as soon as anything was sent. Who asked is told after the last. */
const retryDelaysMs = [200, 1_000, 2_000, 4_000]

/**
 * Resolves to the upload's id once the server has all of it; to OFFLINE where the line did not come back soon, to
 * UNREADABLE_FILE where the file can no longer be read, and never when `signal` ends it: what was sent stays.
 */
export function uploadInPieces(
  ports: PagePorts,
  file: File,
  { md5, onStarted, onProgress, signal }: SendOptions,
): Promise<CallResult<{ id: string }>> {
  return new Promise((resolve) => {
    const tokenSigner = createTokenSigner(ports)
    const pieceSize = createPieceSize()
    const upload = new Upload(file, {
      endpoint: ports.origin + uploadPath,
      metadata: { filename: file.name },
      chunkSize: pieceSize.bytes,
      retryDelays: retryDelaysMs,
      // Nothing that a person wrote stays on the device.
      fingerprint: async () => `${(await readCurrentSession(ports))?.forUser ?? ''} ${md5}`,
      urlStorage: createStartedUploads(localStorage),
      removeFingerprintOnSuccess: true,
      onBeforeRequest: tokenSigner.sign,
      onChunkComplete: (bytes) => {
        pieceSize.onAccepted(bytes)
        upload.options.chunkSize = pieceSize.bytes
      },
      onShouldRetry(error) {
        const canRetry = fitPieceSize(pieceSize, error as DetailedError) ?? tokenSigner.canRetry(error as DetailedError)
        upload.options.chunkSize = pieceSize.bytes
        return canRetry
      },
      onUploadUrlAvailable: () => onStarted(parseUploadId(upload.url)),
      onProgress,
      onSuccess: () => resolve({ kind: 'fresh', output: { id: parseUploadId(upload.url) } }),
      onError: (error) => void toUploadProblem(ports, error).then((problem) => resolve({ kind: 'problem', problem })),
    })
    signal.addEventListener('abort', () => void upload.abort())
    void upload.findPreviousUploads().then(([previousUpload]) => {
      if (previousUpload) upload.resumeFromPreviousUpload(previousUpload)
      if (!signal.aborted) upload.start()
    })
  })
}

/** Whether a piece that was refused as too large, and not by our server, may go smaller. Null: it is about something else. */
function fitPieceSize(
  pieceSize: PieceSize,
  { originalRequest, originalResponse: response }: DetailedError,
): boolean | null {
  if (originalRequest.getMethod() !== 'PATCH') return null
  const status = response?.getStatus() ?? 0
  if (status === 0) pieceSize.onBroken()
  return status === 413 && !response?.getHeader(headers.requestId) ? pieceSize.onRefused() : null
}

const parseUploadId = (url: string | null) => url?.split('/').at(-1) ?? ''

/** Signs each request; a token that was refused is renewed once before it counts as a refusal. */
function createTokenSigner(ports: PagePorts) {
  let usedToken: string | null = null
  let refusedToken: string | null = null
  return {
    async sign(request: HttpRequest) {
      const session = await readCurrentSession(ports)
      usedToken = await getFreshToken(ports, refusedToken)
      // Without one the line is down as well; after a while who asked is told so.
      if (usedToken === null) throw new Error('no token can be had now')
      request.setHeader('Authorization', `Bearer ${usedToken}`)
      if (session) request.setHeader(headers.forUser, session.forUser)
      request.setHeader(headers.build, ports.build)
    },
    canRetry({ originalResponse: response }: DetailedError): boolean {
      const status = response?.getStatus() ?? 0
      if (status === 401 && usedToken !== refusedToken) {
        refusedToken = usedToken
        return true
      }
      // 409, 423: an earlier piece is still being written down.
      return [0, 409, 423].includes(status) || status >= 500
    },
  }
}

async function toUploadProblem(ports: PagePorts, error: Error | DetailedError): Promise<Problem> {
  const response = 'originalResponse' in error ? error.originalResponse : null
  const status = response?.getStatus() ?? 0
  const requestId = response?.getHeader(headers.requestId) ?? null
  if (response && status > 0 && !requestId) return await toForeignProblem(ports, { status, headers: new Headers() })
  if (response && status > 0) return readProblem(status, parseJsonText(response.getBody()), requestId)
  // Without a request nothing was sent: the file itself cannot be read.
  return createLocalProblem('originalRequest' in error && error.originalRequest ? 'OFFLINE' : 'UNREADABLE_FILE')
}

/** Takes back what was sent of it, whole or in part. */
export async function forgetUpload(ports: PagePorts, id: string): Promise<CallResult<null>> {
  const request = { method: 'DELETE', path: `${uploadPath}/${id}`, headers: { 'tus-resumable': '1.0.0' }, body: null }
  const response = await sendSignedIn(ports, request)
  if (!response) return { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  // Gone already, or its day was over: as wanted.
  if (response.status < 300 || response.status === 404) return { kind: 'fresh', output: null }
  return { kind: 'problem', problem: toProblem(response) }
}
