/** Checks of one proxy while both nodes run. Each returns the faults that it finds. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { setTimeout as wait } from 'node:timers/promises'
import { mappLimits } from '#domain/catalogue/mapp.ts'
import { type ProxyResponse, type Send, signIn } from '#tests/campaigns/proxies/client.ts'
import type { ProxyName } from '#tests/campaigns/proxies/proxy-programs.ts'
import { type Nodes, trailDay } from '#tests/campaigns/proxies/nodes.ts'
import { buildNoise } from '#tests/support/uploads/packages.ts'

export interface CheckContext {
  name: ProxyName
  send: Send
  nodes: Nodes
  httpPort: number
  httpsPort: number
  certificate: string
}

type Check = (context: CheckContext) => Promise<string[]>

const assert = (isFulfilled: boolean, fault: string): string[] => (isFulfilled ? [] : [fault])

/** Headers that belong to one connection or one response. A proxy may change them. */
const changingHeaders = new Set([
  'connection',
  'keep-alive',
  'date',
  'x-request-id',
  'transfer-encoding',
  'content-length',
])
/** Headers that say more about the proxy than a browser needs. They do no harm. */
const proxyHeaders = new Set(['server', 'alt-svc'])

const toComparable = (headers: IncomingHttpHeaders) =>
  Object.entries(headers)
    .filter(([name]) => !changingHeaders.has(name) && !proxyHeaders.has(name))
    .map(([name, value]) => `${name}: ${String(value)}`)
    .toSorted()

/** Returns the headers that only one of the responses has. */
const findDifferences = (proxied: string[], expected: string[]): string[] => [
  ...proxied.filter((line) => !expected.includes(line)).map((line) => `has ${line}`),
  ...expected.filter((line) => !proxied.includes(line)).map((line) => `lacks ${line}`),
]

async function readFromNode(nodes: Nodes, port: number, path: string, headers: Record<string, string>) {
  const [{ host, port: nodePort }] = nodes.nodes
  const request = get({ host, port: nodePort, path, headers: { host: `localhost:${port}`, ...headers }, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }
}

function findDuplicates({ rawHeaders }: ProxyResponse): string[] {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return names.filter((name, index) => name !== 'set-cookie' && names.indexOf(name) !== index)
}

/** The same status, headers and bytes as without the proxy. */
export const checkPages: Check = async ({ send, nodes, httpsPort }) => {
  const page = await send('/saas/', { headers: { accept: 'text/html' } })
  const asset = /\/saas\/assets\/[\w.-]+\.js/.exec(page.body.toString())?.[0] ?? '/saas/assets/none.js'
  const paths = [
    '/saas/',
    '/saas/sw.js',
    asset,
    '/saas/index.html',
    '/saas/manifest.webmanifest',
    '/api/openapi.json',
    '/',
  ]
  const faults: string[] = []
  for (const path of [...paths, '/api/none', '/health/ready'])
    for (const encoding of ['identity', 'gzip, br']) {
      const headers = { accept: '*/*', 'accept-encoding': encoding }
      const response = await send(path, { headers })
      const direct = await readFromNode(nodes, httpsPort, path, { ...headers, 'x-forwarded-for': '127.0.0.9' })
      const differences = findDifferences(toComparable(response.headers), toComparable(direct.headers))
      faults.push(
        ...assert(response.status === direct.status, `${path}: ${response.status} instead of ${direct.status}`),
        ...differences.map((difference) => `${path} (${encoding}) ${difference}`),
        ...assert(response.body.equals(direct.body) || path === '/api/none', `${path}: other bytes`),
        ...findDuplicates(response).map((name) => `${path}: the header ${name} is sent twice`),
      )
    }
  const worker = await send('/saas/sw.js')
  return [
    ...faults,
    ...assert(page.status === 200, `the page has the status ${page.status}`),
    ...assert(worker.headers['cache-control'] === 'no-cache', 'the worker may be cached'),
    ...assert(page.headers['cache-control'] === 'no-cache', 'the page may be cached'),
    ...assert(page.headers['strict-transport-security'] !== undefined, 'HSTS is missing'),
  ]
}

export const checkConnections: Check = async ({ send, httpPort, httpsPort, certificate }) => {
  const redirect = get({
    host: '127.0.0.1',
    port: httpPort,
    path: '/saas/',
    headers: { host: 'localhost' },
    agent: false,
  })
  const [redirectResponse] = (await once(redirect, 'response')) as [IncomingMessage]
  redirectResponse.resume()
  const session = connect(`https://localhost:${httpsPort}`, { ca: certificate })
  const stream = session.request({ ':path': '/saas/', accept: 'text/html' })
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  stream.resume()
  await once(stream, 'end')
  session.close()
  const longHeader = await send('/saas/', { headers: { accept: 'text/html', 'x-long': 'x'.repeat(12_000) } })
  const longAddress = await send(`/saas/?${'x'.repeat(8000)}`, { headers: { accept: 'text/html' } })
  const tooLong = await send('/saas/', { headers: { accept: 'text/html', 'x-long': 'x'.repeat(60_000) } }).catch(
    () => null,
  )
  return [
    ...assert(
      /^30[18]$/.test(String(redirectResponse.statusCode)) &&
        String(redirectResponse.headers.location).startsWith('https:'),
      `http is answered with ${redirectResponse.statusCode} ${redirectResponse.headers.location}`,
    ),
    ...assert(headers[':status'] === 200, `HTTP/2 returns ${String(headers[':status'])}`),
    ...assert(longHeader.status === 200, `a header of 12 kB returns ${longHeader.status}`),
    ...assert(longAddress.status === 200, `an address of 8 kB returns ${longAddress.status}`),
    ...assert(
      tooLong === null || String(tooLong.status).startsWith('4'),
      `a header of 60 kB returns ${tooLong?.status}`,
    ),
  ]
}

/** A forged X-Forwarded-For is not believed. */
export const checkAddress: Check = async ({ send, nodes }) => {
  const forged = { 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9', forwarded: 'for=203.0.113.9' }
  await signIn(send, 'alpha:user@alpha.example', forged)
  let addresses: (string | null)[] = []
  await nodes.withApp(async ({ database }) => {
    const rows = await database.kysely.selectFrom('session').select('address').orderBy('create_time', 'desc').execute()
    addresses = rows.map(({ address }) => address)
  })
  return [
    ...assert(addresses[0] === '127.0.0.1', `the address of the sign-in is ${addresses[0]}`),
    ...assert(!addresses.some((address) => address?.startsWith('203.')), 'a forged address was believed'),
  ]
}

const uploadPath = '/api/app/upload/tus'
const pieceBytes = 8 * 1024 * 1024
const maxFormTries = 5

/** The largest package passes in pieces, and the portal itself refuses a larger one. */
export const checkUploads: Check = async ({ send }) => {
  const authorization = `Bearer ${await signIn(send, 'm18:admin@m18.example')}`
  const common = { authorization, 'tus-resumable': '1.0.0' }
  const create = (length: number) =>
    send(uploadPath, {
      method: 'POST',
      headers: { ...common, 'upload-length': String(length), 'upload-metadata': `filename ${btoa('big.mapp')}` },
    })
  const created = await create(mappLimits.packed)
  const location = new URL(created.headers.location ?? '', 'https://localhost').pathname
  const bytes = buildNoise(pieceBytes)
  let offset = 0
  let lastStatus = created.status
  while (offset < mappLimits.packed && (lastStatus === 201 || lastStatus === 204)) {
    const response = await send(location, {
      method: 'PATCH',
      headers: { ...common, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      body: bytes,
    })
    lastStatus = response.status
    offset = Number(response.headers['upload-offset'] ?? Number.NaN)
  }
  await send(location, { method: 'DELETE', headers: common })
  const tooLarge = await create(mappLimits.packed + 1)
  const boundary = 'campaign'
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="big.mapp"\r\n\r\n`
  const form = Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(mappLimits.packed + 1_000_000),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const sendForm = () =>
    send('/api/app/upload', {
      method: 'POST',
      headers: {
        authorization,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'idempotency-key': randomUUID(),
      },
      body: form,
    }).then(
      ({ status, body }) => `${status} ${body.toString()}`,
      (error: unknown) => String(error),
    )
  let formText = await sendForm()
  // The node refuses the form before it has read it. A client that still sends may miss the response, with and without a proxy.
  for (let tries = 1; tries < maxFormTries && !formText.startsWith('4'); tries++) formText = await sendForm()
  const expecting = await send('/api/m18s/token', {
    method: 'POST',
    headers: { expect: '100-continue', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=password',
  })
  return [
    ...assert(offset === mappLimits.packed, `an upload of the largest size ends with ${lastStatus} at ${offset}`),
    ...assert(
      tooLarge.status === 413 && tooLarge.headers['x-request-id'] !== undefined,
      `a too large upload returns ${tooLarge.status}`,
    ),
    ...assert(
      formText.startsWith('413 ') && formText.includes('TOO_LARGE'),
      `a too large form returns ${formText.slice(0, 200)}`,
    ),
    ...assert(expecting.headers['x-request-id'] !== undefined, `Expect: 100-continue returns ${expecting.status}`),
  ]
}

/** Earlier versions of Caddy end a response correctly although the node cut it off (caddyserver/caddy issue 5951). */
function hidesCuts(name: ProxyName): boolean {
  if (name !== 'caddy') return false
  const [, major = '0', minor = '0'] =
    /(\d+)\.(\d+)/.exec(execFileSync('caddy', ['version'], { encoding: 'utf8' })) ?? []
  return Number(major) === 2 && Number(minor) < 8
}

/** A download that a node cuts off does not look complete. */
export const checkCutDownload: Check = async ({ name, send }) => {
  const authorization = `Bearer ${await signIn(send, 'beta:admin@beta.example')}`
  const faults: string[] = []
  for (const encoding of ['identity', 'gzip', 'br']) {
    const query = { format: 'csv', sortField: 'end_time', sortOrder: 'asc', dateFrom: trailDay, dateTo: trailDay }
    const response = await send(`/api/systrail/export?${new URLSearchParams(query)}`, {
      headers: { authorization, 'accept-encoding': encoding },
    }).catch(() => null)
    // The node may find the fault before the first compressed byte is sent. Then the response is a complete problem.
    const isProblem = response?.status === 500 && response.body.toString().includes('SERVER_ERROR')
    const isCut = response?.status === 200 && !response.isComplete && response.body.length > 0
    const description = response && `${response.status}, ${response.body.length} bytes, ${response.isComplete}`
    faults.push(
      ...assert(
        isCut || (encoding !== 'identity' && (response === null || isProblem)),
        `an export (${encoding}) that is cut off looks like ${description}`,
      ),
    )
  }
  if (faults.length === 0 || !hidesCuts(name)) return faults
  console.log(`  known fault of this version of Caddy: ${faults[0]}`)
  return []
}

/** Progress of a long request arrives over the WebSocket, whichever node runs it. */
export const checkSocket: Check = async ({ send, httpsPort }) => {
  const token = await signIn(send, 'm18:admin@m18.example')
  const socket = new WebSocket(`wss://localhost:${httpsPort}/api/m18s/progress`)
  const messages: string[] = []
  socket.addEventListener('message', ({ data }) => messages.push(String(data)))
  const openEvent = once(socket, 'open', { signal: AbortSignal.timeout(5000) })
  try {
    await openEvent
  } catch (error) {
    return [`the WebSocket did not open: ${String(error)}`]
  }
  socket.send(JSON.stringify({ token }))
  const started = await send('/api/systrail/verify', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: '{"companyId":null}',
  })
  const deadline = performance.now() + 15_000
  while (!messages.some((text) => text.includes('"success"')) && performance.now() < deadline) await wait(50)
  socket.close()
  return assert(
    messages.some((text) => text.includes('"success"')),
    `no progress arrived (${started.status}): ${messages.join(' ').slice(0, 300)}`,
  )
}
