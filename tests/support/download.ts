/** A client that reads a response as slowly as a test wants, and says whether all of it came. */
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { once } from 'node:events'

export interface Received {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The end of the response came, and not only the end of its connection. */
  isComplete: boolean
}

export interface Download {
  status: number
  /** Reads what there is, up to the end. */
  rest: () => Promise<Received>
  leave: () => void
}

/** The head of the response; of its body nothing is read before `rest`. */
export async function openDownload(url: string, headers: Record<string, string> = {}): Promise<Download> {
  const request = get(url, { headers, agent: false })
  request.on('error', () => undefined)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  const status = response.statusCode ?? 0
  return {
    status,
    leave: () => void request.destroy(),
    async rest() {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      // Not `once`, which takes the error of a cut response for its own.
      await new Promise<void>((closed) => (response.closed ? closed() : response.on('close', closed)))
      return { status, headers: response.headers, body: Buffer.concat(parts), isComplete: response.complete }
    },
  }
}

export const download = async (url: string, headers?: Record<string, string>): Promise<Received> =>
  (await openDownload(url, headers)).rest()
