/** Reads a response at the speed that the test sets, and reports whether it arrived completely. */
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

export interface CompletedDownload {
  /** Status of the response, or 0 if the connection ended before the response. */
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** False if the connection ended before the body was complete. */
  isComplete: boolean
}

export interface Download {
  status: number
  readRest: () => Promise<CompletedDownload>
  abort: () => void
}

/** Resolves with the headers of the response. Its body is not read before `readRest`. */
export async function openDownload(url: string, headers: Record<string, string> = {}): Promise<Download> {
  const request = get(url, { headers, agent: false })
  const response = await new Promise<IncomingMessage | null>((resolve) => {
    request.on('response', resolve).on('error', () => resolve(null))
  })
  const abort = () => void request.destroy()
  if (!response) return { status: 0, abort, readRest: async () => emptyDownload }
  response.on('error', () => undefined)
  const status = response.statusCode ?? 0
  return {
    status,
    abort,
    async readRest() {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      await new Promise<void>((resolve) => (response.closed ? resolve() : response.on('close', resolve)))
      return { status, headers: response.headers, body: Buffer.concat(chunks), isComplete: response.complete }
    },
  }
}

const emptyDownload: CompletedDownload = { status: 0, headers: {}, body: Buffer.alloc(0), isComplete: false }

export const download = async (url: string, headers?: Record<string, string>): Promise<CompletedDownload> =>
  (await openDownload(url, headers)).readRest()
