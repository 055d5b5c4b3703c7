/** A client that reads a response as slowly as a test wants, and says whether all of it came. */
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

export interface Received {
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
  rest: () => Promise<Received>
  leave: () => void
}

/** The head of the response; of its body nothing is read before `rest`. */
export async function openDownload(url: string, headers: Record<string, string> = {}): Promise<Download> {
  const request = get(url, { headers, agent: false })
  const response = await new Promise<IncomingMessage | null>((opened) => {
    request.on('response', opened).on('error', () => opened(null))
  })
  const leave = () => void request.destroy()
  if (!response) return { status: 0, leave, rest: async () => nothing }
  response.on('error', () => undefined)
  const status = response.statusCode ?? 0
  return {
    status,
    leave,
    async rest() {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      await new Promise<void>((closed) => (response.closed ? closed() : response.on('close', closed)))
      return { status, headers: response.headers, body: Buffer.concat(parts), isComplete: response.complete }
    },
  }
}

const nothing: Received = { status: 0, headers: {}, body: Buffer.alloc(0), isComplete: false }

export const download = async (url: string, headers?: Record<string, string>): Promise<Received> =>
  (await openDownload(url, headers)).rest()
