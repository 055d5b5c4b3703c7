/**
 * Load as one socket a connection, kept alive, the next request when the answer is in. Hand-written, because Node's own
 * client costs as much as the servers that are measured and would make them look alike.
 */
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

export interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

export interface Answer {
  status: number
  head: string
  body: string
}

/** One connection's part: what to ask next, and what came of it. */
export interface Client {
  next: () => Request
  answered?: (answer: Answer) => void
}

export interface Load {
  perSecond: number
  p99Ms: number
  /** Of answers that were not 2xx, by status. */
  failures: Record<number, number>
}

export async function load(url: string, clients: readonly Client[], ms: number): Promise<Load> {
  const until = performance.now() + ms
  const began = performance.now()
  const taken = await Promise.all(clients.map((client) => drive(url, client, until)))
  const seconds = (performance.now() - began) / 1000
  const times = taken.flatMap(({ times }) => times).toSorted((a, b) => a - b)
  const failures: Load['failures'] = {}
  for (const { failed } of taken) for (const status of failed) failures[status] = (failures[status] ?? 0) + 1
  return { perSecond: times.length / seconds, p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN, failures }
}

async function drive(url: string, client: Client, until: number) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  const read = reader(socket)
  const times: number[] = []
  const failed: number[] = []
  while (performance.now() < until) {
    const sent = performance.now()
    socket.write(bytesOf(client.next(), `${hostname}:${port}`))
    const answer = await read()
    if (answer.status >= 200 && answer.status < 300) times.push(performance.now() - sent)
    else failed.push(answer.status)
    client.answered?.(answer)
  }
  socket.destroy()
  return { times, failed }
}

function bytesOf({ method, path, headers, body }: Request, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Answers one after the other. Both servers say how long their answers are. */
function reader(socket: Socket): () => Promise<Answer> {
  let bytes = Buffer.alloc(0)
  let wanted: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null
  const look = () => {
    const end = bytes.indexOf('\r\n\r\n')
    if (!wanted || end < 0) return
    const head = bytes.toString('latin1', 0, end)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (bytes.length < end + 4 + length) return
    const body = bytes.toString('utf8', end + 4, end + 4 + length)
    bytes = bytes.subarray(end + 4 + length)
    const { resolve } = wanted
    wanted = null
    resolve({ status: Number(head.slice(9, 12)), head, body })
  }
  socket.on('data', (piece) => {
    bytes = bytes.length === 0 ? piece : Buffer.concat([bytes, piece])
    look()
  })
  const lost = () => wanted?.reject(new Error('the server hung up'))
  socket.on('close', lost)
  socket.on('error', lost)
  return () =>
    new Promise((resolve, reject) => {
      wanted = { resolve, reject }
      look()
    })
}
