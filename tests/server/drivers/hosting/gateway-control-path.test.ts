/** Tests that no request through the gateway reaches the control endpoint of an instance, however its path is written. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { canReachControl } from '#server/drivers/hosting/gateway/control-path.ts'
import { openGateway } from '#server/drivers/hosting/gateway/gateway.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'
import { createRandom, drawBetween, pick, suiteSeed } from '#tests/support/runner/random.ts'

const refusedPaths = [
  '/control',
  '/control/',
  '/control?a=b',
  '/control/v1/data',
  '/CONTROL/v1',
  '/Control/v1',
  '/control;jsessionid=1/v1',
  '/control.json',
  '/control#x',
  '/control%00.html',
  '/control%00abc',
  '/control%20',
  '/control%3Fx',
  '//control',
  '///control/v1',
  '//x/control',
  '//control@x/control',
  '/\\x/control',

  '/\\control',
  '/%5ccontrol',
  '/%2fcontrol',
  '/%2F%2Fx%2Fcontrol',
  '/%2f/x/control',
  '/./control',
  '/.//x/control',
  '/.%2fcontrol',
  '/%2e/control',
  '/;a=b/control',
  '/%09/control',
  '/%20control%20',
  '/a/../control',
  '/a/b/../../control/v1',
  '/a/..;/control',
  '/a/..;a=b/control',
  '/a/%2e%2e/control',
  '/a/%2E./control',
  '/a/..%2fcontrol',
  '/a/..%5ccontrol',
  '/a\\..\\control',
  '/a/..%00/control',
  '/../control',
  '/#/../control',
  '/%63ontrol',
  '/c%6Fntro%6C',
  '/%43ONTROL',
  '/%2563ontrol',
  '/%252563ontrol',
  '/a/%252e%252e/control',
  '/a%252f..%252fcontrol',
  '/%%363ontrol',
  `/%${'25'.repeat(6)}63ontrol`,
  '/%u0063ontrol',
  '/%c0%afcontrol',
  '/a/%c0%ae%c0%ae/control',
  '/a/%e0%80%ae%e0%80%ae/control',
  '/%c1%a3ontrol',
  '/%ef%bc%8fcontrol',
  '/%ef%bd%83ontrol',
  '/con%00trol',
  '/cont%E2%80%8Brol',
  '/control/../x',
]
const allowedPaths = [
  '/',
  '/?next=/control',
  '/a?b=../control',
  '/controls',
  '/controller/1',
  '/control-panel',
  '/control_panel',
  '/control%C3%A9',
  '/quality/control',
  '/quality/control/v1',
  '/quality/./control',
  '/my-control',
  '/remote.control',
  '/a%20b/..%2f?x=1&y',
  '/a/../b',
  '//a/b',
  '/%',
  '/%zz',
  '/%ff%fe',
  '/100%25',
  '/a%2fb',
  '/值',
]

expectNothingUncaught()

it('refuses every path that an instance may read as /control, and no other one', () => {
  expect(refusedPaths.filter((path) => !canReachControl(path))).toEqual([])
  expect(allowedPaths.filter((path) => canReachControl(path))).toEqual([])
})

it('refuses what the URL parser, a decoding router or a static file server reads as /control', () => {
  const pieces = [
    '/',
    '//',
    '\\',
    '%2f',
    '%5C',
    '.',
    '..',
    '%2e',
    ';x',
    'a',
    'control',
    'CONTROL',
    '%63ontrol',
    '%09',
    '%00',
    '?',
    '#',
  ]
  const isControl = (path: string) => /^\/control(\/|$)/i.test(path)
  /** Returns the path in some common readings. */
  const readPaths = (target: string): string[] => {
    const rawPath = target.split('?', 1)[0] ?? ''
    const decodedPath = rawPath.replace(/%[0-9a-f]{2}/gi, (text) =>
      String.fromCodePoint(Number.parseInt(text.slice(1), 16)),
    )
    const parsedUrls = [target, decodedPath].flatMap((text) =>
      URL.canParse(text, 'http://x') ? [new URL(text, 'http://x')] : [],
    )
    const cleanPaths = [rawPath, decodedPath].flatMap((path) =>
      [path, path.replaceAll('\\', '/')].flatMap((text) => [
        join('/', text),
        join('/', text.replace(/;[^/]*/g, '')),
        text.replace(/\/+/g, '/'),
      ]),
    )
    return [rawPath, decodedPath, ...parsedUrls.map(({ pathname }) => pathname), ...cleanPaths]
  }
  const random = createRandom(suiteSeed)
  const missedPaths: string[] = []
  let reachingCount = 0
  for (let time = 0; time < 15_000; time++) {
    const path = `/${Array.from({ length: drawBetween(random, 1, 7) }, () => pick(random, pieces)).join('')}`
    if (!readPaths(path).some(isControl)) continue
    reachingCount += 1
    if (!canReachControl(path)) missedPaths.push(path)
  }
  expect(missedPaths).toEqual([])
  expect(reachingCount).toBeGreaterThan(500)
})

it('needs little time for a long hostile path', () => {
  const paths = ['%25', '%2525', '%', '/..', ';', '/;', '%c0%ae', '\u00ff', '/control-', ' ', '%u0063'].map(
    (part) => `/${part.repeat(16_000 / part.length)}`,
  )
  // Time of the processor, because other tests run at the same time.
  const startUsage = process.cpuUsage()
  for (const path of paths) canReachControl(path)
  expect(process.cpuUsage(startUsage).user).toBeLessThan(1_000_000)
})

it('the gateway responds with the page of an unknown service, and sends nothing to the task', async () => {
  const requestedPaths: (string | undefined)[] = []
  const task = createServer(({ url }, response) => {
    requestedPaths.push(url)
    response.end('from a task')
  }).listen(0, '127.0.0.1')
  await once(task, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'gateway-control-'))
  const gateway = await openGateway({
    folder,
    domain: 'localhost',
    port: 0,
    limits: { address: { maxConcurrent: 1000, perSecond: 1000, burst: 1000 } },
    findTarget: () => ({
      listEndpoints: () => [{ host: '127.0.0.1', port: (task.address() as AddressInfo).port }],
      shouldRun: () => true,
    }),
  })
  const sendPath = async (target: string, method = 'GET'): Promise<string> => {
    const socket = connect(Number(new URL(gateway.getAddress('acme').url).port), '127.0.0.1')
    const parts: Buffer[] = []
    socket.on('data', (part: Buffer) => parts.push(part))
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: admin.acme.localhost\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
    return Buffer.concat(parts).toString()
  }
  for (const path of refusedPaths)
    expect([path, await sendPath(path)]).toEqual([path, expect.stringMatching(/^HTTP\/1.1 (404|400) /)])
  expect(await sendPath('/control/v1')).toMatch(/^HTTP\/1.1 404 [^]*No such service/)
  for (const method of ['PUT', 'POST', 'DELETE', 'HEAD'])
    expect(await sendPath('/control/v1/data', method)).toMatch(/^HTTP\/1.1 404 /)
  for (const target of ['http://admin.acme.localhost/control/v1', 'HTTP://admin.acme.localhost/a', 'control/v1', '*'])
    expect([target, await sendPath(target)]).toEqual([target, expect.stringMatching(/^HTTP\/1.1 400 /)])
  expect(requestedPaths).toEqual([])
  expect(await sendPath('/quality/control')).toMatch(/^HTTP\/1.1 200 /)
  expect(requestedPaths).toEqual(['/quality/control'])
  await gateway.close()
  task.close()
  rmSync(folder, { recursive: true, force: true })
})

it('a body is never taken for a further request, whatever the method and however its length is given', async () => {
  const requestedPaths: string[] = []
  const task = createServer((request, response) => {
    requestedPaths.push(`${request.headers.host} ${request.url}`)
    request.resume().on('end', () => response.end('from a task'))
  }).listen(0, '127.0.0.1')
  await once(task, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bodies-'))
  const gateway = await openGateway({
    folder,
    domain: 'localhost',
    port: 0,
    findTarget: () => ({
      listEndpoints: () => [{ host: '127.0.0.1', port: (task.address() as AddressInfo).port }],
      shouldRun: () => true,
    }),
  })
  const hiddenRequest = 'DELETE /control/v1/data HTTP/1.1\r\nHost: 10.0.0.5\r\nContent-Length: 0\r\n\r\n'
  const size = hiddenRequest.length
  const bodies = [
    `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${hiddenRequest}\r\n0\r\n\r\n`,
    `Content-Length: ${size}\r\n\r\n${hiddenRequest}`,
    `Content-Length: ${size}\r\nConnection: content-length, host\r\n\r\n${hiddenRequest}`,
    `Transfer-Encoding: chunked\r\nConnection: transfer-encoding\r\n\r\n${size.toString(16)}\r\n${hiddenRequest}\r\n0\r\n\r\n`,
  ]
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST', 'PUT', 'PATCH'])
    for (const body of bodies) {
      requestedPaths.length = 0
      const socket = connect(Number(new URL(gateway.getAddress('acme').url).port), '127.0.0.1')
      socket.write(`${method} /a HTTP/1.1\r\nHost: www.acme.localhost\r\n${body}`)
      await once(socket, 'data')
      socket.destroy()
      // A hidden request would be read from the same connection before this one arrives on a new connection.
      await fetch(`http://127.0.0.1:${(task.address() as AddressInfo).port}/last`)
      expect([method, body, requestedPaths.slice(0, -1)]).toEqual([method, body, ['www.acme.localhost /a']])
    }
  await gateway.close()
  task.close()
  task.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})
