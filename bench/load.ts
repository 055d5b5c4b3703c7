/**
 * Generates load: one kept-alive socket per connection, which sends the next request when the response has arrived. Hand-written, because
 * Node's own client needs as much processor time as the measured servers, and would hide the difference between them.
 */
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

export interface LoadRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

export interface LoadResponse {
  status: number
  head: string
  body: string
}

export interface LoadClient {
  next: () => LoadRequest
  onResponse?: (response: LoadResponse) => void
}

export interface LoadResult {
  perSecond: number
  p99Ms: number
  /** Number of responses other than 2xx, by status. */
  failures: Record<number, number>
}

export async function runLoad(url: string, clients: readonly LoadClient[], ms: number): Promise<LoadResult> {
  const endsAt = performance.now() + ms
  const startedAt = performance.now()
  const clientResults = await Promise.all(clients.map((client) => driveClient(url, client, endsAt)))
  const seconds = (performance.now() - startedAt) / 1000
  const times = clientResults.flatMap(({ times }) => times).toSorted((a, b) => a - b)
  const failures: LoadResult['failures'] = {}
  for (const { failed } of clientResults) for (const status of failed) failures[status] = (failures[status] ?? 0) + 1
  return { perSecond: times.length / seconds, p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN, failures }
}

async function driveClient(url: string, client: LoadClient, endsAt: number) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  const readResponse = createReader(socket)
  const times: number[] = []
  const failedStatuses: number[] = []
  while (performance.now() < endsAt) {
    const sentAt = performance.now()
    socket.write(formatRequest(client.next(), `${hostname}:${port}`))
    const response = await readResponse()
    if (response.status >= 200 && response.status < 300) times.push(performance.now() - sentAt)
    else failedStatuses.push(response.status)
    client.onResponse?.(response)
  }
  socket.destroy()
  return { times, failed: failedStatuses }
}

function formatRequest({ method, path, headers, body }: LoadRequest, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Reads responses one after another. Both servers send a content length. */
function createReader(socket: Socket): () => Promise<LoadResponse> {
  let bytes = Buffer.alloc(0)
  let waiter: { resolve: (response: LoadResponse) => void; reject: (error: Error) => void } | null = null
  const parseResponse = () => {
    const end = bytes.indexOf('\r\n\r\n')
    if (!waiter || end < 0) return
    const head = bytes.toString('latin1', 0, end)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (bytes.length < end + 4 + length) return
    const body = bytes.toString('utf8', end + 4, end + 4 + length)
    bytes = bytes.subarray(end + 4 + length)
    const { resolve } = waiter
    waiter = null
    resolve({ status: Number(head.slice(9, 12)), head, body })
  }
  socket.on('data', (chunk) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    parseResponse()
  })
  const onLost = () => waiter?.reject(new Error('the server closed the connection'))
  socket.on('close', onLost)
  socket.on('error', onLost)
  return () =>
    new Promise((resolve, reject) => {
      waiter = { resolve, reject }
      parseResponse()
    })
}
