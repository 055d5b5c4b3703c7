/** A client that reads a response as slowly as a test wants, and says whether all of it came. */
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

export interface CompletedDownload {
  /** 0: the connection ended before any of the response. */
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The end of the response came, and not only the end of its connection. */
  isComplete: boolean
}

export interface Download {
  status: number
  /** Reads what there is, up to the end. */
  readRest: () => Promise<CompletedDownload>
  abort: () => void
}

/** The head of the response; of its body nothing is read before `readRest`. */
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
