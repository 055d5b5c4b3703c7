import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { gatherMs, times } from '#server/http/progress-socket.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import type { Progress } from '#server/use-cases/job-requests.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { begin, bySteps, workAll, writeTrail } from '#tests/server/jobs/requests.ts'

const path = '/api/m18s/progress'

interface Ear {
  socket: WebSocket
  heard: Progress[]
  /** The code it was closed with. */
  closed: Promise<number>
}

eachEngineByNight('progress over a websocket', (engine) => {
  let server: TestServer
  let staff: SignedIn
  let host: string
  const ears: Ear[] = []
  beforeAll(async () => {
    times.look = 1000
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
    for (const { socket } of ears.splice(0)) socket.close()
  })
  afterAll(() => server.close())

  async function open(query = '', headers: Record<string, string> = { origin: `http://${host}` }): Promise<Ear> {
    // Node's own client; a page's browser says the origin by itself.
    const Client = WebSocket as unknown as new (url: string, how: object) => WebSocket
    const socket = new Client(`ws://${host}${path}${query}`, { headers })
    const heard: Progress[] = []
    socket.addEventListener('message', ({ data }) => heard.push(JSON.parse(String(data)) as Progress))
    const closed = new Promise<number>((told) => socket.addEventListener('close', ({ code }) => told(code)))
    const ear = { socket, heard, closed }
    ears.push(ear)
    await new Promise((opened, failed) => {
      socket.addEventListener('open', opened)
      socket.addEventListener('error', () => failed(new Error('not let in')))
    })
    return ear
  }

  async function listen(who: SignedIn): Promise<Ear> {
    const ear = await open()
    ear.socket.send(JSON.stringify({ token: who.access }))
    return ear
  }

  /** Who is let in is told of what runs already: so one knows that the server listens to it. */
  async function known(who: SignedIn): Promise<Ear & { key: string }> {
    const key = (await begin(who)).json().progressKey as string
    const ear = await listen(who)
    await expect.poll(() => ear.heard.length).toBe(1)
    return { ...ear, key }
  }

  it('tells the user at once how far each request is, and then every step to its end (M47, D62)', async () => {
    const ear = await known(staff)
    expect(ear.heard[0]).toEqual({
      progressKey: ear.key,
      code: 'verify-trail',
      data: { status: 'active', percent: 0 },
      info: { name: '', message: '' },
    })
    await workAll(server, bySteps(2))
    await expect.poll(() => ear.heard.at(-1)?.data).toEqual({ status: 'success', percent: 100 })
    const percents = ear.heard.map(({ data }) => data.percent)
    expect(percents.length).toBeGreaterThan(4)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
    expect(ear.heard.map(({ info }) => info.name)).toContain('alpha')
  })

  it('tells who may see services that some have changed, once for many, and nobody else', async () => {
    const roles = ['order@alpha', 'user@alpha', 'order@beta', 'admin@m18', 'user@m18']
    const ears = new Map<string, Ear>()
    for (const who of roles) ears.set(who, await listen(await server.signIn(who)))
    const known = await Promise.all(['order@alpha', 'admin@m18'].map(async (who) => ears.get(who) as Ear))
    // Let in one after the other, so the last one being heard means that all are.
    await expect
      .poll(async () => {
        announceServices(server.app, server.world.companies.alpha)
        announceServices(server.app, server.world.companies.alpha)
        await wait(gatherMs)
        return known.every(({ heard }) => heard.length > 0)
      })
      .toBe(true)
    for (const { heard } of known) expect(heard).toContainEqual({ changed: 'services' })
    await wait(gatherMs * 2)
    const before = known.map(({ heard }) => heard.length)
    for (let count = 0; count < 50; count++) announceServices(server.app, server.world.companies.alpha)
    await wait(gatherMs * 2)
    // Fifty, which may lie on both sides of one moment of telling.
    for (const [at, { heard }] of known.entries()) {
      expect(heard.length).toBeGreaterThan(before[at] ?? 0)
      expect(heard.length).toBeLessThanOrEqual((before[at] ?? 0) + 2)
    }
    for (const who of ['user@alpha', 'order@beta', 'user@m18']) expect([who, ears.get(who)?.heard]).toEqual([who, []])
  })

  it('fault 30c tells whose rights or names have changed, nobody else, and has them come again with those that they have now', async () => {
    const { companies, users } = server.world
    const roles = ['user@alpha', 'order@alpha', 'order@beta']
    const [ear, colleague, stranger] = await Promise.all(
      roles.map(async (who) => await listen(await server.signIn(who))),
    )
    if (!ear || !colleague || !stranger) throw new Error('three listen')
    const admin = await server.signIn('admin@alpha')
    const change = async (url: string, payload: object) => {
      const answer = await admin.send({ method: 'PUT', url, payload, headers: { 'idempotency-key': randomUUID() } })
      expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)])
    }
    // Let in one after the other, so it is changed again until it listens.
    let order = false
    await expect
      .poll(async () => {
        order = !order
        await change(`/api/m18s/company-user/${users['user@alpha']}`, { order })
        return ear.heard
      })
      .toContainEqual({ changed: 'account' })
    expect(await ear.closed).toBe(1012)
    expect([colleague.heard, stranger.heard]).toEqual([[], []])
    await change(`/api/m18s/company/${companies.alpha}`, { name: 'Alpha by another name' })
    await expect.poll(() => colleague.heard).toContainEqual({ changed: 'account' })
    expect(stranger.heard).toEqual([])
  })

  it('fault 30e has who asks for it read the account as soon as they are heard, for they may have missed a change', async () => {
    const ear = await open()
    ear.socket.send(JSON.stringify({ token: staff.access, account: true }))
    await expect.poll(() => ear.heard).toContainEqual({ changed: 'account' })
    expect(ear.socket.readyState).toBe(WebSocket.OPEN)
    const stranger = await open()
    stranger.socket.send(JSON.stringify({ token: 'made up', account: true }))
    expect([await stranger.closed, stranger.heard]).toEqual([4401, []])
  })

  it('tells nobody of another’s, colleague or stranger (S-60)', async () => {
    const others = await Promise.all(
      ['delete@m18', 'user@m18', 'admin@alpha'].map(async (who) => listen(await server.signIn(who))),
    )
    const ear = await known(staff)
    await workAll(server, bySteps(2))
    await expect.poll(() => ear.heard.at(-1)?.data.status).toBe('success')
    for (const other of others) expect([other.heard, other.socket.readyState]).toEqual([[], WebSocket.OPEN])
  })

  it.each([
    ['hidden by a browser', { 'sec-fetch-site': 'same-origin' }],
    ['another', { origin: 'https://evil.example' }],
    ['a name that only begins like ours', { origin: 'http://127.0.0.1.evil.example' }],
  ])('is not opened for a page whose origin is %s (S-59)', async (_, headers) => {
    const status = await new Promise<number | undefined>((told, failed) => {
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
      const key = { 'sec-websocket-key': Buffer.alloc(16).toString('base64') }
      const asked = httpRequest(`http://${host}${path}`, { headers: { ...upgrade, ...key, ...headers } })
      asked.on('upgrade', () => failed(new Error('it was opened')))
      asked.on('response', (answer) => told(answer.statusCode))
      asked.on('error', failed)
      asked.end()
    })
    expect(status).toBe(403)
  })

  it('fault 37r is opened for a program without an Origin, which hears nothing before it has sent a token, whatever its cookies say', async () => {
    const { key } = await known(staff)
    const program = await open('', {})
    program.socket.send(JSON.stringify({ token: staff.access }))
    await expect.poll(() => program.heard.at(0)).toMatchObject({ progressKey: key })
    const byCookie = await open('', { cookie: `portal-access=${staff.access}` })
    byCookie.socket.send(JSON.stringify({ token: null }))
    expect([await byCookie.closed, byCookie.heard]).toEqual([4401, []])
  })

  it('wants the token in the first message: not in the address, not made up, not run out, and not much later', async () => {
    const usual = times.firstMessage
    // For this one alone: on a busy machine the others' first message may take longer than that.
    times.firstMessage = 300
    const inAddress = await open(`?token=${staff.access}`)
    times.firstMessage = usual
    const madeUp = await open()
    madeUp.socket.send(JSON.stringify({ token: `${staff.userId}.x` }))
    const nonsense = await open()
    nonsense.socket.send('{')
    const binary = await open()
    binary.socket.send(new TextEncoder().encode(JSON.stringify({ token: staff.access })))
    for (const { closed } of [inAddress, madeUp, nonsense, binary]) expect(await closed).toBe(4401)
    server.clock.now += 601_000
    expect(await (await listen(staff)).closed).toBe(4401)
  })

  it('ends with the session, whether or not there is anything to tell (S-44, S-59)', async () => {
    const idle = await known(staff)
    await staff.send({ method: 'POST', url: '/api/m18s/logout' })
    expect(await idle.closed).toBe(4401)

    await workAll(server, bySteps(500))
    const again = await server.signIn('admin@m18')
    const busy = await known(again)
    await again.send({ method: 'POST', url: '/api/m18s/logout' })
    await workAll(server, bySteps(2))
    expect(await busy.closed).toBe(4401)
    expect(busy.heard).toHaveLength(1)
  })

  it('is closed on who floods it, with many messages or a long one (S-59, F-11)', async () => {
    const many = await known(staff)
    for (let at = 0; at < 1000; at++) many.socket.send('{}')
    expect(await many.closed).toBe(1008)
    // One line, however many messages were on their way.
    expect(server.logged().match(/"security":"flood"/g)).toHaveLength(1)
    const long = await open()
    long.socket.send('x'.repeat(65_537))
    expect(await long.closed).toBe(1009)
    expect((await server.send({ method: 'GET', url: '/health/live' })).statusCode).toBe(200)
  })

  it('fault 2 is cut off for who floods it with pings and reads no answer', async () => {
    const before = server.logged().match(/"security":"flood"/g)?.length ?? 0
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      origin: `http://${host}`,
    }
    const key = { 'sec-websocket-key': Buffer.alloc(16).toString('base64') }
    await new Promise<void>((closed, failed) => {
      const asked = httpRequest(`http://${host}${path}`, { headers: { ...upgrade, ...key } })
      asked.on('error', failed)
      asked.on('upgrade', (_answer, socket) => {
        socket.on('error', () => {})
        socket.on('close', () => closed())
        socket.resume()
        // Final frames of opcode 9 without content, masked by nothing.
        socket.write(Buffer.from('898000000000'.repeat(200), 'hex'))
      })
      asked.end()
    })
    expect(server.logged().match(/"security":"flood"/g)).toHaveLength(before + 1)
  })

  it('is no page: asked for without an upgrade there is nothing', async () => {
    const answer = await server.send({ method: 'GET', url: path, headers: { origin: server.app.config.publicUrl } })
    expect([answer.statusCode, answer.json().errorCode]).toEqual([404, 'NOT_FOUND'])
  })
})
