/**
 * Uploads a package in pieces by tus 1.0 (U-13). The browser sends them without worker and outbox, each with the current token. Bytes sent
 * before a lost connection or a reload are not sent again.
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
/**
 * Waits before the retries of a piece, in ms. After progress they start from the first again. After the last one the caller gets a problem.
 */
const retryDelaysMs = [200, 1_000, 2_000, 4_000]

/**
 * Resolves to the upload's id when the server has the complete file. Resolves to OFFLINE if the connection did not return soon, and to
 * UNREADABLE_FILE if the file can no longer be read. Never resolves if `signal` stops it; the bytes sent so far stay on the server.
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
      // Stores no file name or other text of the user on the device.
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

/**
 * Halves the piece size after a proxy's refusal. Returns true if it could, false if the minimum is reached, null if the error has another
 * cause.
 */
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

/** Adds the token to each request. A refused token is renewed once before the upload fails. */
function createTokenSigner(ports: PagePorts) {
  let usedToken: string | null = null
  let refusedToken: string | null = null
  return {
    async sign(request: HttpRequest) {
      const session = await readCurrentSession(ports)
      usedToken = await getFreshToken(ports, refusedToken)
      // Without a token the connection is down too. After the retries the caller gets a problem.
      if (usedToken === null) throw new Error('no access token is available')
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
      // 0: no response. 409 and 423: the server is still writing an earlier piece.
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
  // Without a request nothing was sent, so the file itself cannot be read.
  return createLocalProblem('originalRequest' in error && error.originalRequest ? 'OFFLINE' : 'UNREADABLE_FILE')
}

export async function forgetUpload(ports: PagePorts, id: string): Promise<CallResult<null>> {
  const request = { method: 'DELETE', path: `${uploadPath}/${id}`, headers: { 'tus-resumable': '1.0.0' }, body: null }
  const response = await sendSignedIn(ports, request)
  if (!response) return { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  // Already deleted or expired, which is the goal.
  if (response.status < 300 || response.status === 404) return { kind: 'fresh', output: null }
  return { kind: 'problem', problem: toProblem(response) }
}
