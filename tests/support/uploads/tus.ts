/** Uploads in pieces: with the page's own client, and with raw bytes to simulate a failing connection. */
import { request } from 'node:http'
import { Upload } from 'tus-js-client'

export interface PiecemealUpload {
  url: string
  /** Returns the access token. Called for each request, because the token may have been renewed. */
  token: () => string
  name?: string
  chunkSize?: number
  uploadUrl?: string
  retryDelays?: number[]
  /** Number of accepted bytes after which the upload stops, as if the page was closed. */
  stopAt?: number
}

/** Uploads the bytes in pieces. Returns the address of the upload. Rejects with the client's final error. */
export function uploadPiecemeal(
  bytes: Buffer,
  {
    url,
    token,
    name = 'pay.mapp',
    chunkSize = 256 * 1024,
    uploadUrl,
    retryDelays = [50, 100, 200, 400, 800, 1600],
    stopAt,
  }: PiecemealUpload,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${url}/api/app/upload/tus`,
      ...(uploadUrl === undefined ? {} : { uploadUrl }),
      metadata: { filename: name },
      chunkSize,
      retryDelays,
      storeFingerprintForResuming: false,
      onBeforeRequest: (outgoing) => {
        outgoing.setHeader('Authorization', `Bearer ${token()}`)
      },
      onError: reject,
      onSuccess: () => resolve(upload.url ?? ''),
      onChunkComplete: (_, acceptedBytes) => {
        if (stopAt === undefined || acceptedBytes < stopAt) return
        upload.abort().catch(reject)
        resolve(upload.url ?? '')
      },
    })
    upload.start()
  })
}

/** Sends the first bytes of a longer piece and then nothing. If `cut` is called, the connection is closed. */
export async function startHangingPatch(
  url: string,
  token: string,
  { offset, length, bytes }: { offset: number; length: number; bytes: Buffer },
) {
  const patch = request(url, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      'content-length': String(length),
    },
  })
  const closed = new Promise<void>((resolve) => patch.on('close', resolve))
  const status = new Promise<number | null>((resolve) => {
    patch.on('response', (message) => {
      message.resume()
      resolve(message.statusCode ?? null)
    })
    patch.on('error', () => resolve(null))
  })
  await new Promise((resolve) => patch.write(bytes, resolve))
  return { cut: () => patch.destroy(), closed, status }
}
