/** Uploads in pieces: by the client that the page has, and byte by byte where a client would not do what a bad line does. */
import { request } from 'node:http'
import { Upload } from 'tus-js-client'

export interface Piecemeal {
  url: string
  /** Asked for with each request: it may have been renewed. */
  token: () => string
  name?: string
  chunkSize?: number
  /** Goes on with one that was begun. */
  uploadUrl?: string
  retryDelays?: number[]
  /** Stops, as a page that is closed does, once so many bytes were taken. */
  stopAt?: number
}

/** Where the upload is. Rejects with what the client gave up with. */
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
  }: Piecemeal,
): Promise<string> {
  return new Promise((done, failed) => {
    const upload = new Upload(bytes, {
      endpoint: `${url}/api/app/upload/tus`,
      ...(uploadUrl === undefined ? {} : { uploadUrl }),
      metadata: { filename: name },
      chunkSize,
      retryDelays,
      storeFingerprintForResuming: false,
      onBeforeRequest: (sent) => {
        sent.setHeader('Authorization', `Bearer ${token()}`)
      },
      onError: failed,
      onSuccess: () => done(upload.url ?? ''),
      onChunkComplete: (_, taken) => {
        if (stopAt === undefined || taken < stopAt) return
        upload.abort().catch(failed)
        done(upload.url ?? '')
      },
    })
    upload.start()
  })
}

/** Sends the first bytes of a longer piece, and then nothing; `cut` lets the line die. */
export async function hangingPatch(
  url: string,
  token: string,
  { offset, length, sent }: { offset: number; length: number; sent: Buffer },
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
  const closed = new Promise<void>((done) => patch.on('close', done))
  const status = new Promise<number | null>((told) => {
    patch.on('response', (answer) => {
      answer.resume()
      told(answer.statusCode ?? null)
    })
    patch.on('error', () => told(null))
  })
  await new Promise((written) => patch.write(sent, written))
  return { cut: () => patch.destroy(), closed, status }
}
