/**
 * Sends hostile bodies to every call of a real server process, at the size limit of the call and once above it. Parsing and refusing a body
 * may take at most 200 ms of processor time and 50 MB. Then sends all of them at once, with hostile headers, from strangers and signed-in
 * users, and measures the delay of the event loop.
 *
 * npm run campaign -- bodies [seconds of the flood] [measure one of so many]
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Endpoint, ObjectSchema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { createSignIn } from '#tests/campaigns/flood.ts'
import {
  buildFullRows,
  buildHostileForms,
  hostileHeaders,
  buildHostileJson,
  buildHostileParts,
  buildHostileQueries,
  type HostileBody,
  buildLargeJson,
} from '#tests/support/server/hostile-bodies.ts'
import { startWatchedServer, type WatchedServer } from '#tests/support/server/watched-server.ts'
import { password } from '#tests/support/server/world.ts'

const maxLimits = { cpu: 200, memory: 50, loopP99: 250 }
/** Maximum number of measurements. A value above a limit is measured again, because the machine may be busy. */
const maxTries = 4
const megabyteBytes = 1_000_000

interface HostileRequest {
  name: string
  path: string
  options: RequestInit
}

const listFields = ({ body }: Endpoint) => Object.keys((body as ObjectSchema | undefined)?.shape ?? {})
const buildPath = ({ path }: Endpoint) => path.replace(/:key\b/, 'a'.repeat(20)).replace(/:\w+/g, '2000000000')

function buildBodies(endpoint: Endpoint): HostileBody[] {
  const { encoding, access: caller } = endpoint
  if (encoding === 'multipart') return buildHostileParts(megabyteBytes)
  const isForm = encoding === 'form'
  const maxBytes = isForm
    ? inputLimits.formBytes
    : caller === 'anybody'
      ? inputLimits.openJsonBytes
      : (endpoint.jsonBytes ?? inputLimits.jsonBytes)
  const fields = listFields(endpoint)
  // The size leaves room for the field names around the values.
  const size = maxBytes - 2000
  return [
    ...(isForm ? buildHostileForms(size) : []),
    ...buildHostileJson(size),
    ...(fields.length > 0 ? buildLargeJson(fields, size) : []),
    ...buildFullRows(endpoint.name),
    { name: 'json: as large as it gets', type: 'application/json', body: `"${'a'.repeat(megabyteBytes)}"` },
  ]
}

/** Each request has its own address, so the limits per address do not affect the measurement. */
let address = 0
const getNextAddress = () => `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address++ & 255}`

function buildRequests(endpoint: Endpoint, authorization: string | null): HostileRequest[] {
  const { method, name } = endpoint
  const headers = authorization === null ? {} : { authorization }
  if (method === 'GET')
    return buildHostileQueries(7500).map(([queryName, query]) => ({
      name: `${name} query: ${queryName}`,
      path: `${buildPath(endpoint)}?${query}`,
      options: { method, headers, redirect: 'manual' },
    }))
  if (!endpoint.body) return []
  return buildBodies(endpoint).map((body) => ({
    name: `${name} ${body.name}`,
    path: buildPath(endpoint),
    options: { method, headers: { ...headers, 'content-type': body.type }, body: body.body as BodyInit },
  }))
}

interface HostileOutcome {
  status: number
  length: number
}

/** Sends the request, and waits if a rate limit applies. Status 0 means that the server closed the connection before the body was sent. */
async function sendRequest(url: string, { path, options }: HostileRequest): Promise<HostileOutcome> {
  for (;;) {
    const headers = { ...(options.headers as Record<string, string>), 'x-forwarded-for': getNextAddress() }
    const response = await fetch(url + path, { ...options, headers }).catch(() => null)
    if (response === null) return { status: 0, length: 0 }
    const text = await response.text()
    if (response.status !== 429) return { status: response.status, length: text.length }
    await wait(1000 * Number(response.headers.get('retry-after') ?? 1))
  }
}

interface MeasuredRequest {
  name: string
  cpu: number
  memory: number
}

async function measureAll(
  server: WatchedServer,
  requests: HostileRequest[],
  failures: string[],
): Promise<MeasuredRequest[]> {
  const measuredRequests: MeasuredRequest[] = []
  for (const request of requests) {
    if (measuredRequests.length % 200 === 199) console.log(`  ${measuredRequests.length + 1} of ${requests.length}`)
    let lowest = { cpu: Infinity, memory: Infinity }
    for (
      let attempt = 0;
      attempt < maxTries && (lowest.cpu > maxLimits.cpu || lowest.memory > maxLimits.memory);
      attempt++
    ) {
      let outcome: HostileOutcome = { status: 0, length: 0 }
      const work = await server.measure(async () => {
        outcome = await sendRequest(server.url, request)
      })
      lowest = { cpu: Math.min(lowest.cpu, work.cpu), memory: Math.min(lowest.memory, work.memory) }
      const { status, length } = outcome as HostileOutcome
      if (status >= 500 && status !== 501) failures.push(`${request.name} returned ${status}`)
      if (status >= 400 && length > 30_000) failures.push(`${request.name} was refused in ${length} characters`)
    }
    if (lowest.cpu > maxLimits.cpu || lowest.memory > maxLimits.memory)
      failures.push(`${request.name} costs ${lowest.cpu.toFixed(0)} ms and ${lowest.memory.toFixed(0)} MB`)
    measuredRequests.push({ name: request.name, ...lowest })
  }
  return measuredRequests
}

async function flood(server: WatchedServer, requests: HostileRequest[], seconds: number): Promise<number[]> {
  const statuses = new Map<number, number>()
  const deadline = performance.now() + seconds * 1000
  let next = 0
  const pings: number[] = []
  const sendRequests = async () => {
    while (performance.now() < deadline) {
      const request = requests[next++ % requests.length]
      if (!request) return
      const headers = {
        ...(request.options.headers as Record<string, string>),
        ...hostileHeaders[next % hostileHeaders.length],
        'x-forwarded-for': getNextAddress(),
      }
      const response = await fetch(server.url + request.path, { ...request.options, headers }).catch(() => null)
      await response?.arrayBuffer().catch(() => null)
      statuses.set(response?.status ?? 0, (statuses.get(response?.status ?? 0) ?? 0) + 1)
    }
  }
  const sendPings = async () => {
    while (performance.now() < deadline) {
      const startedAt = performance.now()
      await fetch(`${server.url}/health/live`)
      pings.push(performance.now() - startedAt)
      await wait(50)
    }
  }
  await Promise.all([...Array.from({ length: 8 }, sendRequests), sendPings()])
  console.log(`  flood: ${[...statuses].map(([status, count]) => `${status} ${count} times`).join(', ')}`)
  return pings
}

const printRows = (title: string, rows: MeasuredRequest[]) => {
  console.log(`  ${title}`)
  for (const { name, cpu, memory } of rows.slice(0, 12))
    console.log(`    ${cpu.toFixed(0).padStart(5)} ms ${memory.toFixed(1).padStart(6)} MB  ${name}`)
}

export async function run([seconds = '20', sampleEvery = '1']: string[]): Promise<void> {
  const server = await startWatchedServer()
  const failures: string[] = []
  try {
    const signIn = createSignIn(server.url)
    const buildAuthorization = async (username: string) => `Bearer ${(await signIn(username, password)).accessToken}`
    const admin = await buildAuthorization('alpha:admin@alpha.example')
    const order = await buildAuthorization('alpha:order@alpha.example')
    const staff = await buildAuthorization('m18:delete@m18.example')
    const adminCallers = new Set<Endpoint['access']>(['user', 'admin', 'trail'])
    const getAuthorization = ({ access: caller }: Endpoint) =>
      caller === 'anybody' ? null : adminCallers.has(caller) ? admin : caller === 'order' ? order : staff
    const requests = endpoints.flatMap((endpoint) => buildRequests(endpoint, getAuthorization(endpoint)))
    console.log(
      `bodies: ${requests.length} hostile requests to ${endpoints.length} calls, then a flood of ${seconds} s`,
    )
    const sample = requests.filter((_, index) => index % Number(sampleEvery) === 0)
    const measuredRequests = await measureAll(server, sample, failures)
    console.log(
      `  ${measuredRequests.length} measured; the server uses ${(await server.readGrowth()).toFixed(0)} MB more than at the start`,
    )
    printRows(
      'highest processor time',
      measuredRequests.toSorted((a, b) => b.cpu - a.cpu),
    )
    printRows(
      'highest memory',
      measuredRequests.toSorted((a, b) => b.memory - a.memory),
    )
    await server.readLoopDelay()
    await wait(5000)
    // Measured without requests first, because other load on the machine delays the event loop too.
    const idle = await server.readLoopDelay()
    // Strangers send bodies to every call, signed-in users send them to the calls that they may use.
    const anonymousRequests = endpoints.flatMap((endpoint) => buildRequests(endpoint, null))
    const pings = await flood(
      server,
      [...requests, ...anonymousRequests].toSorted(() => Math.random() - 0.5),
      Number(seconds),
    )
    const { p99, longest } = await server.readLoopDelay()
    const slowest = Math.max(...pings)
    console.log(
      `  event loop: p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms, without requests ${idle.p99.toFixed(0)} and ${idle.longest.toFixed(0)} ms; slowest of ${pings.length} pings ${slowest.toFixed(0)} ms`,
    )
    if (p99 > maxLimits.loopP99 + idle.longest) failures.push(`the event loop was blocked: p99 ${p99.toFixed(0)} ms`)
    const { status } = await fetch(`${server.url}/health/ready`)
    if (status !== 200) failures.push(`the server is not ready: ${status}`)
    const longestLine = Math.max(
      ...server
        .output()
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
