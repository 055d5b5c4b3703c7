import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { groupingMs, socketTimingsMs } from '#server/http/progress-socket.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import type { JobProgress } from '#server/use-cases/job-requests.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { startVerification, createStepJobKinds, runAllJobs, writeTrail } from '#tests/server/jobs/requests.ts'

const path = '/api/m18s/progress'

interface ProgressListener {
  socket: WebSocket
  received: JobProgress[]
  closeCode: Promise<number>
}

eachEngineByNight('the progress websocket', (engine) => {
  let server: TestServer
  let staff: SignedIn
  let host: string
  const listeners: ProgressListener[] = []
  beforeAll(async () => {
    socketTimingsMs.checkInterval = 1000
    server = await startServer({ engine })
    await server.fastify.listen({ port: 0, host: '127.0.0.1' })
    host = `127.0.0.1:${(server.fastify.server.address() as AddressInfo).port}`
  })
  beforeEach(async () => {
    await server.reset()
    staff = await server.signIn('admin@m18')
    await writeTrail(server, server.world.companies.alpha, 8)
  })
  afterEach(() => {
    for (const { socket } of listeners.splice(0)) socket.close()
  })
  afterAll(() => server.close())

  async function openListener(
    query = '',
    headers: Record<string, string> = { origin: `http://${host}` },
  ): Promise<ProgressListener> {
    // Only the WebSocket of Node accepts headers. In a browser, the page sends the Origin by itself.
    const Client = WebSocket as unknown as new (url: string, options: object) => WebSocket
    const socket = new Client(`ws://${host}${path}${query}`, { headers })
    const received: JobProgress[] = []
    socket.addEventListener('message', ({ data }) => received.push(JSON.parse(String(data)) as JobProgress))
    const closeCode = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
    const listener = { socket, received, closeCode }
    listeners.push(listener)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error('not let in')))
    })
    return listener
  }

  async function openSignedInListener(user: SignedIn): Promise<ProgressListener> {
    const listener = await openListener()
    listener.socket.send(JSON.stringify({ token: user.accessToken }))
    return listener
  }

  /**
   * Opens a listener and waits for its first message, which shows that the listener is registered: the server sends the state of running
   * requests to each new listener.
   */
  async function openKnownListener(user: SignedIn): Promise<ProgressListener & { key: string }> {
    const key = (await startVerification(user)).json().progressKey as string
    const listener = await openSignedInListener(user)
    await expect.poll(() => listener.received.length).toBe(1)
    return { ...listener, key }
  }

  it('sends the state of each request immediately, and then every step until its end (M47, D62)', async () => {
    const listener = await openKnownListener(staff)
    expect(listener.received[0]).toEqual({
      progressKey: listener.key,
      code: 'verify-trail',
      data: { status: 'active', percent: 0 },
      info: { name: '', message: '' },
    })
    await runAllJobs(server, createStepJobKinds(2))
    await expect.poll(() => listener.received.at(-1)?.data).toEqual({ status: 'success', percent: 100 })
    const percents = listener.received.map(({ data }) => data.percent)
    expect(percents.length).toBeGreaterThan(4)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
    expect(listener.received.map(({ info }) => info.name)).toContain('alpha')
  })

  it('reports changed services only to users who may see them, and combines many changes', async () => {
    const roles = ['order@alpha', 'user@alpha', 'order@beta', 'admin@m18', 'user@m18']
    const listenersByName = new Map<string, ProgressListener>()
    for (const userName of roles)
      listenersByName.set(userName, await openSignedInListener(await server.signIn(userName)))
    const informedListeners = await Promise.all(
      ['order@alpha', 'admin@m18'].map(async (userName) => listenersByName.get(userName) as ProgressListener),
    )
    // Listeners are registered one after another, so the message is repeated until all of them receive it.
    await expect
      .poll(async () => {
        announceServices(server.app, server.world.companies.alpha)
        announceServices(server.app, server.world.companies.alpha)
        await wait(groupingMs)
        return informedListeners.every(({ received }) => received.length > 0)
      })
      .toBe(true)
    for (const { received } of informedListeners) expect(received).toContainEqual({ changed: 'services' })
    await wait(groupingMs * 2)
    const countsBefore = informedListeners.map(({ received }) => received.length)
    for (let count = 0; count < 50; count++) announceServices(server.app, server.world.companies.alpha)
    await wait(groupingMs * 2)
    // Fifty announcements can fall into two grouping intervals.
    for (const [index, { received }] of informedListeners.entries()) {
      expect(received.length).toBeGreaterThan(countsBefore[index] ?? 0)
      expect(received.length).toBeLessThanOrEqual((countsBefore[index] ?? 0) + 2)
    }
    for (const userName of ['user@alpha', 'order@beta', 'user@m18'])
      expect([userName, listenersByName.get(userName)?.received]).toEqual([userName, []])
  })

  it('notifies only users whose rights or company changed, and closes the socket if rights changed (fault 30c)', async () => {
    const { companies, users } = server.world
    const roles = ['user@alpha', 'order@alpha', 'order@beta']
    const [listener, colleagueListener, foreignListener] = await Promise.all(
      roles.map(async (userName) => await openSignedInListener(await server.signIn(userName))),
    )
    if (!listener || !colleagueListener || !foreignListener) throw new Error('three listen')
    const admin = await server.signIn('admin@alpha')
    const sendChange = async (url: string, payload: object) => {
      const response = await admin.send({ method: 'PUT', url, payload, headers: { 'idempotency-key': randomUUID() } })
      expect([response.statusCode, response.body]).toEqual([200, expect.any(String)])
    }
    // The listener is registered after a delay, so the user is changed until it receives a message.
    let order = false
    await expect
      .poll(async () => {
        order = !order
        await sendChange(`/api/m18s/company-user/${users['user@alpha']}`, { order })
        return listener.received
      })
      .toContainEqual({ changed: 'account' })
    expect(await listener.closeCode).toBe(1012)
    expect([colleagueListener.received, foreignListener.received]).toEqual([[], []])
    await sendChange(`/api/m18s/company/${companies.alpha}`, { name: 'Alpha by another name' })
    await expect.poll(() => colleagueListener.received).toContainEqual({ changed: 'account' })
    expect(foreignListener.received).toEqual([])
  })

  it('makes a new subscriber read the account immediately, as a change may have been missed (fault 30e)', async () => {
    const listener = await openListener()
    listener.socket.send(JSON.stringify({ token: staff.accessToken, account: true }))
    await expect.poll(() => listener.received).toContainEqual({ changed: 'account' })
    expect(listener.socket.readyState).toBe(WebSocket.OPEN)
    const foreignListener = await openListener()
    foreignListener.socket.send(JSON.stringify({ token: 'made up', account: true }))
    expect([await foreignListener.closeCode, foreignListener.received]).toEqual([4401, []])
  })

  it('sends a user nothing about requests of others (S-60)', async () => {
    const otherListeners = await Promise.all(
      ['delete@m18', 'user@m18', 'admin@alpha'].map(async (userName) =>
        openSignedInListener(await server.signIn(userName)),
      ),
    )
    const listener = await openKnownListener(staff)
    await runAllJobs(server, createStepJobKinds(2))
    await expect.poll(() => listener.received.at(-1)?.data.status).toBe('success')
    for (const otherListener of otherListeners)
      expect([otherListener.received, otherListener.socket.readyState]).toEqual([[], WebSocket.OPEN])
  })

  it.each([
    ['hidden by a browser', { 'sec-fetch-site': 'same-origin' }],
    ['another site', { origin: 'https://evil.example' }],
    ['a host that only begins with the name of the portal', { origin: 'http://127.0.0.1.evil.example' }],
  ])('is not opened for a page whose origin is %s (S-59)', async (_, headers) => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
      const key = { 'sec-websocket-key': Buffer.alloc(16).toString('base64') }
      const upgradeRequest = httpRequest(`http://${host}${path}`, { headers: { ...upgrade, ...key, ...headers } })
      upgradeRequest.on('upgrade', () => reject(new Error('it was opened')))
      upgradeRequest.on('response', (response) => resolve(response.statusCode))
      upgradeRequest.on('error', reject)
      upgradeRequest.end()
    })
    expect(status).toBe(403)
  })

  it('is opened for a program without an Origin, which needs a token in any case (fault 37r)', async () => {
    const { key } = await openKnownListener(staff)
    const programListener = await openListener('', {})
    programListener.socket.send(JSON.stringify({ token: staff.accessToken }))
    await expect.poll(() => programListener.received.at(0)).toMatchObject({ progressKey: key })
    const cookieListener = await openListener('', { cookie: `portal-access=${staff.accessToken}` })
    cookieListener.socket.send(JSON.stringify({ token: null }))
    expect([await cookieListener.closeCode, cookieListener.received]).toEqual([4401, []])
  })

  it('requires a valid token in the first message within a time limit, and not in the address', async () => {
    const usualTimeoutMs = socketTimingsMs.firstMessage
    // The short timeout applies only to this listener. On a busy machine the first message of the others may take longer.
    socketTimingsMs.firstMessage = 300
    const tokenInUrlListener = await openListener(`?token=${staff.accessToken}`)
    socketTimingsMs.firstMessage = usualTimeoutMs
    const madeUpListener = await openListener()
    madeUpListener.socket.send(JSON.stringify({ token: `${staff.userId}.x` }))
    const nonsenseListener = await openListener()
    nonsenseListener.socket.send('{')
    const binaryListener = await openListener()
    binaryListener.socket.send(new TextEncoder().encode(JSON.stringify({ token: staff.accessToken })))
    for (const { closeCode } of [tokenInUrlListener, madeUpListener, nonsenseListener, binaryListener])
      expect(await closeCode).toBe(4401)
    server.clock.now += 601_000
    expect(await (await openSignedInListener(staff)).closeCode).toBe(4401)
  })

  it('is closed when the session ends, even if it is idle (S-44, S-59)', async () => {
    const idleListener = await openKnownListener(staff)
    await staff.send({ method: 'POST', url: '/api/m18s/logout' })
    expect(await idleListener.closeCode).toBe(4401)

    await runAllJobs(server, createStepJobKinds(500))
    const renewedUser = await server.signIn('admin@m18')
    const busyListener = await openKnownListener(renewedUser)
    await renewedUser.send({ method: 'POST', url: '/api/m18s/logout' })
    await runAllJobs(server, createStepJobKinds(2))
    expect(await busyListener.closeCode).toBe(4401)
    expect(busyListener.received).toHaveLength(1)
  })

  it('is closed for a client that sends many messages or a long message (S-59, F-11)', async () => {
    const floodingListener = await openKnownListener(staff)
    for (let index = 0; index < 1000; index++) floodingListener.socket.send('{}')
    expect(await floodingListener.closeCode).toBe(1008)
    // Only one security event is logged, for any number of messages.
    expect(server.readLog().match(/"event":"websocket_flood"/g)).toHaveLength(1)
    const longListener = await openListener()
    longListener.socket.send('x'.repeat(65_537))
    expect(await longListener.closeCode).toBe(1009)
    expect((await server.send({ method: 'GET', url: '/health/live' })).statusCode).toBe(200)
  })

  it('is closed for a client that sends many pings and reads nothing (fault 2)', async () => {
    const floodCount = server.readLog().match(/"event":"websocket_flood"/g)?.length ?? 0
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      origin: `http://${host}`,
    }
    const key = { 'sec-websocket-key': Buffer.alloc(16).toString('base64') }
    await new Promise<void>((resolve, reject) => {
      const upgradeRequest = httpRequest(`http://${host}${path}`, { headers: { ...upgrade, ...key } })
      upgradeRequest.on('error', reject)
      upgradeRequest.on('upgrade', (_response, socket) => {
        socket.on('error', () => {})
        socket.on('close', () => resolve())
        socket.resume()
        // Sends final ping frames (opcode 9) without content, masked with zeros.
        socket.write(Buffer.from('898000000000'.repeat(200), 'hex'))
      })
      upgradeRequest.end()
    })
    expect(server.readLog().match(/"event":"websocket_flood"/g)).toHaveLength(floodCount + 1)
  })

  it('returns 404 to a request without an upgrade', async () => {
    const response = await server.send({ method: 'GET', url: path, headers: { origin: server.app.config.publicUrl } })
    expect([response.statusCode, response.json().errorCode]).toEqual([404, 'NOT_FOUND'])
  })
})
