/**
 * Implements the two calls of the Docker Engine API that read logs: the list of tasks and the log of a task, in the frames that the daemon
 * sends. It can be made to fail like a real Swarm.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Docker from 'dockerode'

export interface FakeTask {
  id: string
  service: string
  slot: number
  node: string
  state: 'running' | 'complete'
  /** In the order in which they were written. */
  lines: FakeLine[]
  /** `hangs` sends nothing, like a node that was cut off; `unavailable` is what the manager says about a node that it knows to be down. */
  fault: 'hangs' | 'hangs_later' | 'unavailable' | 'cut' | null
}

export interface FakeLine {
  timestamp: string
  stream: 1 | 2
  text: string
}

export interface DockerLogServer {
  docker: Docker
  tasks: FakeTask[]
  /** Paths of the calls, with their query. */
  calls: string[]
  addTask(task: Partial<FakeTask> & { id: string }): FakeTask
  close(): Promise<void>
}

/** `nanoseconds` are added to the ms. */
export const formatTimestamp = (time: number, nanoseconds = 0): string =>
  `${new Date(time).toISOString().slice(0, -1)}${String(nanoseconds).padStart(6, '0')}Z`

export function encodeFrame(stream: number, text: string | Buffer): Buffer {
  const bytes = Buffer.from(text)
  const header = Buffer.alloc(8)
  header.writeUInt8(stream, 0)
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}

export async function startDockerLogs(): Promise<DockerLogServer> {
  const tasks: FakeTask[] = []
  const calls: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://docker')
    calls.push(`${url.pathname}${url.search}`)
    if (url.pathname === '/tasks') return sendTasks(url, tasks, response)
    const task = tasks.find(({ id }) => url.pathname === `/tasks/${id}/logs`)
    if (!task) return sendMissing(response, 'task not found')
    sendLog(task, url.searchParams, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    docker: new Docker({ protocol: 'http', host: '127.0.0.1', port }),
    tasks,
    calls,
    addTask(input) {
      const task: FakeTask = { service: 's1', slot: 1, node: 'n1', state: 'running', lines: [], fault: null, ...input }
      tasks.push(task)
      return task
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function sendTasks(url: URL, tasks: readonly FakeTask[], response: ServerResponse): void {
  const { service = {} } = JSON.parse(url.searchParams.get('filters') ?? '{}') as { service?: Record<string, boolean> }
  const ids = Array.isArray(service) ? (service as string[]) : Object.keys(service)
  const unknown = ids.find((id) => !tasks.some((task) => task.service === id))
  if (unknown !== undefined) return sendMissing(response, `service ${unknown} not found`)
  const rows = tasks
    .filter((task) => ids.includes(task.service))
    .map((task, index) => ({
      ID: task.id,
      ServiceID: task.service,
      Slot: task.slot,
      NodeID: task.node,
      CreatedAt: formatTimestamp(index),
      Status: { State: task.state },
    }))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rows))
}

const sendMissing = (response: ServerResponse, message: string): void =>
  void response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))

function sendLog({ lines, fault, node }: FakeTask, query: URLSearchParams, response: ServerResponse): void {
  if (fault === 'hangs') return
  const [seconds = '0', fraction = '0'] = (query.get('since') ?? '0').split('.')
  const tail = Number(query.get('tail') ?? lines.length)
  const start = formatTimestamp(Number(seconds) * 1000).slice(0, 20) + fraction.padEnd(9, '0')
  const matches = lines
    .slice(Math.max(0, lines.length - tail))
    .filter(({ timestamp }) => timestamp.slice(0, -1) >= start)
  for (const { timestamp, stream, text } of matches) response.write(encodeFrame(stream, `${timestamp} ${text}\n`))
  if (fault === 'hangs_later') return
  if (fault === 'cut')
    return void response.write(encodeFrame(1, 'x'.repeat(100)).subarray(0, 50), () => response.destroy())
  const reason = `warning: incomplete log stream. some logs could not be retrieved for the following reasons: node ${node} is not available`
  if (fault === 'unavailable')
    response.write(encodeFrame(3, `Error grabbing logs: rpc error: code = Unknown desc = ${reason}\n`))
  response.end()
}
