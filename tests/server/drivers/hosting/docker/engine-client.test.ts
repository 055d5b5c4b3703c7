import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Docker from 'dockerode'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngineApi, type EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import { createEngineClient, type EngineClient } from '#server/drivers/hosting/docker/engine/engine-client.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function openEngine(onRequest: RequestListener): Promise<{ client: EngineClient; api: EngineApi }> {
  const server = createServer(onRequest).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = createEngineClient(new Docker({ protocol: 'http', host: '127.0.0.1', port }), Date.now)
  return { client, api: createEngineApi(client) }
}
const answer = (status: number, body: string): RequestListener => {
  return (_, response) => response.writeHead(status).end(body)
}

describe('calls of the Docker Engine', () => {
  it.each([
    ['a server error', answer(500, '{"message":"broken"}'), /refused a call \(500\): broken/],
    ['an answer that is no JSON', answer(200, '<html>'), /malformed/],
    ['an answer of another kind', answer(200, '{"a":1}'), /malformed/],
    ['a machine outside a Swarm', answer(503, '{"message":"This node is not a swarm manager."}'), /docker swarm init/],
    ['a page of a proxy', answer(502, '<h1>Bad gateway</h1>'), /502.*Bad gateway/],
    [
      'an answer that is cut off',
      ((_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('[1')
        response.destroy()
      }) satisfies RequestListener,
      /cut off|does not respond/,
    ],
    [
      'an answer without end',
      ((_, response) => {
        const chunk = Buffer.alloc(8 * 1024 * 1024, ' ')
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        }
        response.on('drain', write)
        write()
      }) satisfies RequestListener,
      /too long/,
    ],
  ])('report the fault "unreachable" for %s', async (_, onRequest, message) => {
    const { api } = await openEngine(onRequest)
    const error = await api.listNodes().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: expect.stringMatching(/HostingError|EngineRefusal/), fault: 'unreachable' })
    expect(String(error)).toMatch(message)
  })

  it('do not wait for an engine that does not answer', async () => {
    const { client } = await openEngine(() => undefined)
    const call = { method: 'GET', path: '/nodes', timeoutMs: 50 } as const
    await expect(client.call(call)).rejects.toMatchObject({ fault: 'unreachable' })
    const beginOnly = await openEngine((_, response) => void response.writeHead(200).write('['))
    await expect(beginOnly.client.call(call)).rejects.toMatchObject({ fault: 'unreachable' })
  })

  it('are sent again after the pause that the engine asks for, and report "throttled" if that does not help', async () => {
    let requestCount = 0
    const onRequest: RequestListener = (_, response) => {
      requestCount += 1
      if (requestCount === 2) response.end('[]')
      else response.writeHead(429, { 'retry-after': '0.1' }).end()
    }
    const { api } = await openEngine(onRequest)
    expect(await api.listNodes()).toEqual([])
    await expect(api.listNodes()).rejects.toMatchObject({ fault: 'throttled' })
    expect(requestCount).toBe(4)
  })

  it('are sent again on another connection if they only read and the engine has closed the one they used', async () => {
    const usedSockets = new Set<unknown>()
    const requests: string[] = []
    const { client } = await openEngine(({ socket, method, url }, response) => {
      requests.push(`${method} ${url}`)
      if (usedSockets.has(socket)) socket.destroy()
      else response.end('[]')
      usedSockets.add(socket)
    })
    const readNodes = () => client.call({ method: 'GET', path: '/nodes' })
    await readNodes()
    expect(await readNodes()).toEqual([])
    await expect(client.call({ method: 'POST', path: '/services/create' })).rejects.toMatchObject({
      fault: 'unreachable',
    })
    expect(requests).toEqual(['GET /nodes?', 'GET /nodes?', 'GET /nodes?', 'POST /services/create?'])
  })

  it('wait for no pause that is too long', async () => {
    const { api } = await openEngine((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end())
    await expect(api.listNodes()).rejects.toMatchObject({ fault: 'throttled' })
  })

  it('are at most eight at a time', async () => {
    const openResponses: ServerResponse[] = []
    let maxOpenCount = 0
    const { api } = await openEngine((_, response) => {
      openResponses.push(response)
      maxOpenCount = Math.max(maxOpenCount, openResponses.length)
    })
    const calls = Promise.all(Array.from({ length: 40 }, () => api.listNodes()))
    await expect.poll(() => openResponses.length).toBe(8)
    const timer = setInterval(() => {
      for (const response of openResponses.splice(0)) response.end('[]')
    }, 5)
    await calls.finally(() => clearInterval(timer))
    expect(maxOpenCount).toBe(8)
  })

  it('do not wait for images from a registry that does not answer', async () => {
    const { api } = await openEngine((request, response) => {
      if (!request.url?.startsWith('/images')) response.end('[]')
    })
    const pulls = Array.from({ length: 20 }, () => api.pullImage('registry.test/shop:1', null).catch(() => undefined))
    expect(await api.listNodes()).toEqual([])
    servers[0]?.closeAllConnections()
    servers[0]?.close()
    await Promise.all(pulls)
  })

  it('are refused at once if too many wait for an engine that does not answer', async () => {
    const { client } = await openEngine(() => undefined)
    const call = { method: 'GET', path: '/nodes', timeoutMs: 300 } as const
    const calls = Array.from({ length: 450 }, () => client.call(call).catch((error: unknown) => error))
    expect(await Promise.race(calls)).toMatchObject({ fault: 'throttled' })
    servers[0]?.closeAllConnections()
    servers[0]?.close()
    await Promise.all(calls)
  })

  it('treat a missing object as null, and pass names as part of the path', async () => {
    const paths: string[] = []
    const { api } = await openEngine((request, response) => {
      paths.push(request.url ?? '')
      response.writeHead(404).end('{"message":"no such object"}')
    })
    expect(await api.findService('../../x?y')).toBeNull()
    await api.removeVolume('a/b')
    expect(paths).toEqual(['/services/..%2F..%2Fx%3Fy?', '/volumes/a%2Fb?'])
  })

  it('report the fault "no_image" if the engine reports an error after it began to answer', async () => {
    const { api } = await openEngine(answer(200, '{"status":"Pulling"}\n{"error":"denied: \\"x\\""}\n'))
    await expect(api.pullImage('registry.test/shop:1', null)).rejects.toMatchObject({
      fault: 'no_image',
      message: expect.stringContaining('denied'),
    })
  })
})
