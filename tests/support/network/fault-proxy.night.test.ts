import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, request as ask, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '#tests/support/runner/random.ts'
import {
  createRandomFaults,
  type Fault,
  faults,
  type FaultProxy,
  openFaultProxy,
} from '#tests/support/network/fault-proxy.ts'

/** Idempotency keys, or else addresses, of the requests that the server performed. */
let performedKeys: string[]
let server: Server
let proxy: FaultProxy
let agent: Agent

beforeEach(async () => {
  performedKeys = []
  agent = new Agent({ keepAlive: true, maxSockets: 1 })
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      performedKeys.push(String(request.headers['idempotency-key'] ?? request.url))
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r' })
        .end('{"said":"done, all of it"}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy = await openFaultProxy((server.address() as { port: number }).port)
})

afterEach(async () => {
  agent.destroy()
  await proxy.close()
  server.closeAllConnections()
  server.close()
})

interface CallResponse {
  status: number
  type: string
  body: string
}

/** Returns null if the connection failed or no response came in time. */
function call(key: string, withinMs = 3_000, path = '/api/write'): Promise<CallResponse | null> {
  const response = new Promise<CallResponse | null>((resolve) => {
    const clientRequest = ask(proxy.url.replace('localhost', '127.0.0.1') + path, {
      agent,
      method: 'POST',
      headers: { 'idempotency-key': key },
    })
    clientRequest.on('error', () => resolve(null))
    clientRequest.on('response', (message) => {
      let body = ''
      message.on('data', (piece) => (body += piece))
      message.on('error', () => resolve(null))
      message.on('end', () =>
        resolve({ status: message.statusCode ?? 0, type: String(message.headers['content-type']), body }),
      )
    })
    clientRequest.end('{}')
  })
  return Promise.race([response, wait(withinMs, null)])
}

const okResponse = { status: 200, type: 'application/json', body: '{"said":"done, all of it"}' }

describe('the fault proxy', () => {
  it('passes requests on before faults are set and after they are cleared', async () => {
    expect(await call('a')).toEqual(okResponse)
    proxy.set(() => 'reset')
    expect(await call('b')).toBeNull()
    proxy.clearFaults()
    expect(await call('c')).toEqual(okResponse)
    expect(performedKeys).toEqual(['a', 'c'])
    expect(proxy.arrivals.map(({ keys, fault }) => [keys[0], fault])).toEqual([
      ['a', null],
      ['b', 'reset'],
      ['c', null],
    ])
  })

  const expectedResponses: Record<Fault, CallResponse | null> = {
    'cut before the answer': null,
    'cut in the answer': null,
    late: okResponse,
    slow: okResponse,
    twice: okResponse,
    'gateway timeout': { status: 504, type: 'text/html', body: expect.stringContaining('504') as unknown as string },
    'hang after the deed': null,
    'gateway error': { status: 502, type: 'text/html', body: expect.stringContaining('502') as unknown as string },
    reset: null,
    'login page': { status: 200, type: 'text/html', body: expect.stringContaining('hotel') as unknown as string },
    hang: null,
  }
  it.each(Object.keys(faults) as Fault[])(
    'causes "%s", and forwards the request as often as that fault requires',
    async (fault) => {
      // The first call opens a connection that the second one reuses, as in a browser.
      await call('first')
      proxy.set(() => fault)
      expect(await call('second', fault.startsWith('hang') ? 500 : 3_000)).toEqual(expectedResponses[fault])
      await wait(50)
      const times = fault === 'twice' ? 2 : faults[fault].isPerformed ? 1 : 0
      expect(performedKeys.filter((key) => key === 'second')).toHaveLength(times)
    },
  )

  it('produces the same faults for the same seed', async () => {
    const allFaults = Object.keys(faults) as Fault[]
    const drawFaults = (seed: number) => {
      const faultProfile = createRandomFaults(createRandom(seed), allFaults, { share: 0.5, readings: false })
      return Array.from({ length: 60 }, (_, index) =>
        faultProfile({ method: index % 3 ? 'PUT' : 'GET', path: '/api/x', keys: [] }),
      )
    }
    expect(drawFaults(7)).toEqual(drawFaults(7))
    expect(drawFaults(7)).not.toEqual(drawFaults(8))
    expect(new Set(drawFaults(7)).size).toBeGreaterThan(4)
    expect(drawFaults(7).filter((_, index) => index % 3 === 0)).toEqual(Array(20).fill(null))
  })

  it('cuts every connection until faults are cleared', async () => {
    await call('a')
    proxy.cut()
    expect(await call('b')).toBeNull()
    proxy.clearFaults()
    expect(await call('c')).toEqual(okResponse)
    expect(performedKeys).toEqual(['a', 'c'])
  })

  it('ignores faults for its own files and for requests that are no API call', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proxy-'))
    writeFileSync(join(folder, 'rig.js'), 'export {}')
    proxy.mount('/saas/rig/', folder)
    proxy.set(() => 'reset')
    expect(await call('file', 3_000, '/saas/rig/rig.js')).toEqual({
      status: 200,
      type: 'text/javascript',
      body: 'export {}',
    })
    expect(await call('out', 3_000, '/saas/rig/../../etc/passwd')).not.toMatchObject({
      body: expect.stringContaining('root') as unknown as string,
    })
    expect((await call('page', 3_000, '/saas/index.html'))?.status).toBe(200)
    rmSync(folder, { recursive: true })
  })
})
