/** Uses two nodes of the portal on one PostgreSQL database and one bucket, behind a balancer, as if they were one server. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { demoPassword } from '#demo/sample-data/demo-data.ts'
import { type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'
import { waitUntil } from '#tests/support/hosting/hosting.ts'
import { type NodeClient, requestTokens, signInAt, type TokenPair } from '#tests/support/nodes/node-client.ts'
import { type PortalNodes, startNodes, toFilesEnv } from '#tests/support/nodes/portal-nodes.ts'
import { packApp } from '#tests/support/uploads/packages.ts'
import { uploadPiecemeal } from '#tests/support/uploads/tus.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const clusterUrl = inject('postgresUrl')

/** Returns a time of the business time zone, in minutes from now, as calls take it. */
const formatMinute = (minutes: number) =>
  new Date(Date.now() + 8 * 3_600_000 + minutes * 60_000).toISOString().slice(0, 16).replace('T', ' ')

describe.skipIf(clusterUrl === null)('two nodes on one database', () => {
  let bucket: S3Server
  let portal: PortalNodes
  let a: string
  let b: string
  let admin: NodeClient
  let staff: NodeClient
  let companyId: number
  beforeAll(async () => {
    bucket = await startS3()
    portal = await startNodes({
      clusterUrl: clusterUrl ?? '',
      env: { DEMO: '1', PAYMENT_SANDBOX: '0', ...toFilesEnv(bucket) },
      // The first node leaves all work to the second one, which also runs the hosted services.
      nodes: [
        { HOSTING: 'elsewhere', JOBS: 'elsewhere' },
        { HOSTING: 'local', SERVICE_MEMORY_MB: '100000' },
      ],
    })
    const [first, second] = portal.nodes
    a = first?.url ?? ''
    b = second?.url ?? ''
    admin = await signInAt(a, 'acme:admin@acme.example', demoPassword)
    staff = await signInAt(b, 'm18:staff@m18.example', demoPassword)
    ;({ company_id: companyId } = (await (await admin.send(a, '/api/m18s/user')).json()) as { company_id: number })
  })
  afterAll(async () => {
    await portal.close()
    await bucket.close()
  })

  test('A session of one node is valid at the other, and a renewal whose response was lost is repeated at the other', async () => {
    const { tokens } = await signInAt(a, 'acme:admin@acme.example', demoPassword)
    const renew = (url: string) =>
      requestTokens(url, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    const renewed = (await (await renew(b)).json()) as TokenPair
    expect(renewed.access_token).not.toBe(tokens.access_token)
    const repeated = (await (await renew(a)).json()) as TokenPair
    for (const pair of [renewed, repeated])
      for (const url of [a, b]) {
        const { status } = await fetch(`${url}/api/m18s/user`, {
          headers: { authorization: `Bearer ${pair.access_token}` },
        })
        expect(status).toBe(200)
      }
  })

  test('A queued write that is repeated at the other node takes effect once', async () => {
    const key = randomUUID()
    const email = `${key}@acme.example`
    const write = (url: string) =>
      admin.send(url, '/api/m18s/user', {
        method: 'POST',
        headers: { 'idempotency-key': key },
        body: { title: 0, name: 'Repeated', email },
      })
    // Both at the same time, and then once more at each.
    await Promise.all([write(a), write(b)])
    const responses = await Promise.all([write(a), write(b)])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    const [first, second] = await Promise.all(responses.map((response) => response.text()))
    expect(second).toBe(first)
    const list = await admin.send(b, `/api/m18s/company/${companyId}/users?searchText=${email}`)
    expect(await list.json()).toMatchObject({ data: [{ email }] })
  })

  test('A long request that starts at one node ends at the other', async () => {
    const started = await staff.send(a, '/api/systrail/verify', {
      method: 'POST',
      headers: { 'idempotency-key': randomUUID() },
      body: { companyId: null },
    })
    expect(started.status).toBe(202)
    const location = started.headers.get('location') ?? ''
    let response = await staff.send(b, location)
    while (response.status === 202) {
      await wait(100)
      response = await staff.send(b, location)
    }
    expect(await response.json()).toMatchObject({ broken: [] })
  })

  test('A log of a service is read and downloaded at the node that does not run the service', async () => {
    const service = await waitUntil('the service runs', async () => {
      const list = await staff.send(a, '/api/aws/service?searchText=acmetrade')
      const { data } = (await list.json()) as { data: { id: number; online: number; url: string | null }[] }
      return data.find(({ online, url }) => online === 1 && url?.includes('localhost')) ?? null
    })
    const page = await staff.send(a, `/api/aws/log/${service.id}`)
    const { lines } = (await page.json()) as { lines: { text: string }[] }
    expect(lines.length).toBeGreaterThan(0)
    const body = new URLSearchParams({ id: String(service.id), from: formatMinute(-60), to: formatMinute(1) })
    const requested = await staff.send(a, '/api/aws/log', { method: 'POST', body })
    const key = (await requested.json()) as string
    const download = await fetch(`${a}/public/log/${key}`)
    expect(await download.text()).toContain(lines[0]?.text)
  })

  test('An upload in pieces that alternate between the nodes is complete', async () => {
    portal.balancer.setTargets(portal.nodes.map(({ port }) => port))
    const bytes = await packApp({})
    const address = await uploadPiecemeal(bytes, {
      url: portal.balancer.url,
      token: () => staff.tokens.access_token,
      chunkSize: Math.ceil(bytes.length / 6),
    })
    const uploads = await (await staff.send(b, '/api/app/upload')).json()
    expect(JSON.stringify(uploads)).toContain(address.split('/').at(-1))
  })

  test('A print that is requested at one node opens at the other, once', async () => {
    const list = await admin.send(a, `/api/company/${companyId}/sorder`)
    const { data } = (await list.json()) as { data: { contract_id: number }[] }
    const request = { kind: 'contract', id: data.find((row) => row.contract_id > 0)?.contract_id }
    const response = await admin.send(a, '/api/print', { method: 'POST', body: request })
    const { url } = (await response.json()) as { url: string }
    expect(url).toContain('/public/print/')
    const path = new URL(url, portal.balancer.url).pathname
    expect((await fetch(b + path)).status).toBe(200)
    expect((await fetch(a + path)).status).not.toBe(200)
  })

  test('A rate limit counts the requests at both nodes', async () => {
    const query = (url: string) => fetch(`${url}/api/query/code?resource=company&code=${randomUUID().slice(0, 8)}`)
    const statuses: number[] = []
    for (let index = 0; index < 61; index++) statuses.push((await query(index % 2 ? a : b)).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    expect([(await query(a)).status, (await query(b)).status]).toEqual([429, 429])
  })
})
