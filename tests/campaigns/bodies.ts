/**
 * Hostile bodies to every call of a real server process, each as large as the call reads and once larger: parsing and refusing one
 * costs at most 200 ms of processor time and 50 MB. Then all of them at once, with hostile headers, from strangers and from who is
 * signed in, while the event loop is watched.
 *
 *   npm run campaign -- bodies [seconds of the flood] [measure one of so many]
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Endpoint, Shape } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { signAt } from '#tests/campaigns/flood.ts'
import {
  fullRows,
  hostileForms,
  hostileHeaders,
  hostileJson,
  hostileParts,
  hostileQueries,
  type HostileBody,
  largeJson,
} from '#tests/support/server/hostile-bodies.ts'
import { startWatchedServer, type WatchedServer } from '#tests/support/server/watched-server.ts'
import { password } from '#tests/support/server/world.ts'

const limits = { cpu: 200, memory: 50, loopP99: 250 }
/** What is above the limits is measured again: the machine has other work. */
const tries = 4
const megabyte = 1_000_000

interface HostileRequest {
  name: string
  path: string
  init: RequestInit
}

const fieldsOf = ({ body }: Endpoint) => Object.keys((body as Shape | undefined)?.shape ?? {})
const pathOf = ({ path }: Endpoint) => path.replace(/:key\b/, 'a'.repeat(20)).replace(/:\w+/g, '2000000000')

function bodiesFor(endpoint: Endpoint): HostileBody[] {
  const { encoding, who } = endpoint
  if (encoding === 'multipart') return hostileParts(megabyte)
  const isForm = encoding === 'form'
  const most = isForm ? inputLimits.formBytes : who === 'anybody' ? inputLimits.openJsonBytes : inputLimits.jsonBytes
  const fields = fieldsOf(endpoint)
  // Around the values stand a few names.
  const size = most - 2000
  return [
    ...(isForm ? hostileForms(size) : []),
    ...hostileJson(size),
    ...(fields.length > 0 ? largeJson(fields, size) : []),
    ...fullRows(endpoint.name),
    { name: 'json: as large as it gets', type: 'application/json', body: `"${'a'.repeat(megabyte)}"` },
  ]
}

/** Each from an address of its own: what counts strangers is not what is measured. */
let address = 0
const nextAddress = () => `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address++ & 255}`

function requestsFor(endpoint: Endpoint, authorization: string | null): HostileRequest[] {
  const { method, name } = endpoint
  const headers = authorization === null ? {} : { authorization }
  if (method === 'GET')
    return hostileQueries(7500).map(([what, query]) => ({
      name: `${name} query: ${what}`,
      path: `${pathOf(endpoint)}?${query}`,
      init: { method, headers, redirect: 'manual' },
    }))
  if (!endpoint.body) return []
  return bodiesFor(endpoint).map((one) => ({
    name: `${name} ${one.name}`,
    path: pathOf(endpoint),
    init: { method, headers: { ...headers, 'content-type': one.type }, body: one.body as BodyInit },
  }))
}

interface Outcome {
  status: number
  length: number
}

/** Status 0: the server closed the connection before all was sent. Waits where a call may be made only so often. */
async function send(url: string, { path, init }: HostileRequest): Promise<Outcome> {
  for (;;) {
    const headers = { ...(init.headers as Record<string, string>), 'x-forwarded-for': nextAddress() }
    const response = await fetch(url + path, { ...init, headers }).catch(() => null)
    if (response === null) return { status: 0, length: 0 }
    const text = await response.text()
    if (response.status !== 429) return { status: response.status, length: text.length }
    await wait(1000 * Number(response.headers.get('retry-after') ?? 1))
  }
}

interface Measured {
  name: string
  cpu: number
  memory: number
}

async function measureAll(server: WatchedServer, requests: HostileRequest[], failures: string[]): Promise<Measured[]> {
  const all: Measured[] = []
  for (const request of requests) {
    if (all.length % 200 === 199) console.log(`  ${all.length + 1} of ${requests.length}`)
    let best = { cpu: Infinity, memory: Infinity }
    for (let at = 0; at < tries && (best.cpu > limits.cpu || best.memory > limits.memory); at++) {
      let outcome: Outcome = { status: 0, length: 0 }
      const work = await server.measure(async () => {
        outcome = await send(server.url, request)
      })
      best = { cpu: Math.min(best.cpu, work.cpu), memory: Math.min(best.memory, work.memory) }
      const { status, length } = outcome as Outcome
      if (status >= 500 && status !== 501) failures.push(`${request.name} was answered ${status}`)
      if (status >= 400 && length > 30_000) failures.push(`${request.name} was refused in ${length} characters`)
    }
    if (best.cpu > limits.cpu || best.memory > limits.memory)
      failures.push(`${request.name} costs ${best.cpu.toFixed(0)} ms and ${best.memory.toFixed(0)} MB`)
    all.push({ name: request.name, ...best })
  }
  return all
}

async function flood(server: WatchedServer, requests: HostileRequest[], seconds: number): Promise<number[]> {
  const statuses = new Map<number, number>()
  const until = performance.now() + seconds * 1000
  let next = 0
  const pings: number[] = []
  const lane = async () => {
    while (performance.now() < until) {
      const request = requests[next++ % requests.length]
      if (!request) return
      const headers = {
        ...(request.init.headers as Record<string, string>),
        ...hostileHeaders[next % hostileHeaders.length],
        'x-forwarded-for': nextAddress(),
      }
      const response = await fetch(server.url + request.path, { ...request.init, headers }).catch(() => null)
      await response?.arrayBuffer().catch(() => null)
      statuses.set(response?.status ?? 0, (statuses.get(response?.status ?? 0) ?? 0) + 1)
    }
  }
  const ping = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      await fetch(`${server.url}/health/live`)
      pings.push(performance.now() - began)
      await wait(50)
    }
  }
  await Promise.all([...Array.from({ length: 8 }, lane), ping()])
  console.log(`  flood: ${[...statuses].map(([status, many]) => `${status} ${many} times`).join(', ')}`)
  return pings
}

const print = (title: string, rows: Measured[]) => {
  console.log(`  ${title}`)
  for (const { name, cpu, memory } of rows.slice(0, 12))
    console.log(`    ${cpu.toFixed(0).padStart(5)} ms ${memory.toFixed(1).padStart(6)} MB  ${name}`)
}

export async function run([seconds = '20', oneOf = '1']: string[]): Promise<void> {
  const server = await startWatchedServer()
  const failures: string[] = []
  try {
    const sign = signAt(server.url)
    const tokenOf = async (username: string) => `Bearer ${(await sign(username, password)).access}`
    const admin = await tokenOf('alpha:admin@alpha.example')
    const order = await tokenOf('alpha:order@alpha.example')
    const staff = await tokenOf('m18:delete@m18.example')
    const mayAdmin = new Set<Endpoint['who']>(['user', 'admin', 'trail'])
    const askerOf = ({ who }: Endpoint) =>
      who === 'anybody' ? null : mayAdmin.has(who) ? admin : who === 'order' ? order : staff
    const requests = endpoints.flatMap((endpoint) => requestsFor(endpoint, askerOf(endpoint)))
    console.log(
      `bodies: ${requests.length} hostile requests to ${endpoints.length} calls, then a flood of ${seconds} s`,
    )
    const sample = requests.filter((_, at) => at % Number(oneOf) === 0)
    const measured = await measureAll(server, sample, failures)
    console.log(
      `  ${measured.length} measured; the server holds ${(await server.readGrowth()).toFixed(0)} MB more than at first`,
    )
    print(
      'most processor time',
      measured.toSorted((a, b) => b.cpu - a.cpu),
    )
    print(
      'most memory',
      measured.toSorted((a, b) => b.memory - a.memory),
    )
    await server.readLoopDelay()
    await wait(5000)
    // Other work of the machine holds it up as well.
    const idle = await server.readLoopDelay()
    // Strangers to every call, and everybody to those that they may ask.
    const strangers = endpoints.flatMap((endpoint) => requestsFor(endpoint, null))
    const pings = await flood(
      server,
      [...requests, ...strangers].toSorted(() => Math.random() - 0.5),
      Number(seconds),
    )
    const { p99, longest } = await server.readLoopDelay()
    const slowest = Math.max(...pings)
    console.log(
      `  event loop: p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms, without requests ${idle.p99.toFixed(0)} and ${idle.longest.toFixed(0)} ms; slowest of ${pings.length} pings ${slowest.toFixed(0)} ms`,
    )
    if (p99 > limits.loopP99 + idle.longest) failures.push(`the event loop was held up: p99 ${p99.toFixed(0)} ms`)
    const { status } = await fetch(`${server.url}/health/ready`)
    if (status !== 200) failures.push(`the server is not ready: ${status}`)
    const longestLine = Math.max(
      ...server
        .said()
        .split('\n')
        .map((line) => line.length),
    )
    if (longestLine > 12_000) failures.push(`a line of its log has ${longestLine} characters`)
  } finally {
    const code = await server.end()
    if (code !== 0) failures.push(`the server ended with ${code}`)
  }
  for (const failure of failures.slice(0, 20)) console.error(`  ${failure}`)
  console.log(`  ${failures.length} failures`)
  if (failures.length > 0) process.exitCode = 1
}
