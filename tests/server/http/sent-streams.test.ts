/** Streams that fail on their way: that response is cut off and seen to be, and nothing else is touched (decision 58). */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LogLine } from '#server/drivers/hosting/driver.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { principalOf } from '#server/http/authenticate.ts'
import { issueTicket } from '#server/use-cases/tickets.ts'
import { writeMany } from '#tests/support/audit-trail/audit-entries.ts'
import { onConnections, pastPolicies } from '#tests/support/server/database.ts'
import { download, openDownload, type Received } from '#tests/support/server/download.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'

const formats = ['csv', 'xlsx', 'ndjson'] as const
type Format = (typeof formats)[number]

/** Of a zip's central directory, without which no program opens it. */
const zipEnd = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const at = Date.parse('2026-03-10T04:00:00Z')
const days = { dateFrom: '2026-03-10', dateTo: '2026-03-10' }

expectNothingUncaught()

onConnections('a stream that is sent', (engine) => {
  let server: TestServer
  let admin: SignedIn
  let origin: string
  let site: string
  beforeAll(async () => {
    site = await mkdtemp(join(tmpdir(), 'portal-site-'))
    await writeFile(join(site, 'large.txt'), Buffer.alloc(30_000_000, 'x'))
    server = await startServer({ engine, settings: { responseIdleMs: 1_000, site } })
    await server.fastify.listen({ port: 0, host: '127.0.0.1' })
    origin = `http://127.0.0.1:${(server.fastify.server.address() as AddressInfo).port}`
  })
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
  })
  afterEach(async () => expect((await fetch(`${origin}/health/live`)).status).toBe(200))
  afterAll(async () => {
    await server.close()
    await rm(site, { recursive: true })
  })

  async function fill(count: number): Promise<void> {
    await writeMany(server.app, { companyId: server.world.companies.alpha, count, at, apart: 1000 })
    await integrate(server.app)
  }

  const signed = (who: SignedIn) => ({ authorization: `Bearer ${who.access}` })

  async function exportUrl(format: Format, who = admin, extra: Record<string, string> = {}): Promise<string> {
    const query =
      format === 'ndjson'
        ? await keepQuery(who)
        : { format, sortField: 'end_time', sortOrder: 'asc', ...days, ...extra }
    return `${origin}/api/systrail/export?${new URLSearchParams(query)}`
  }

  async function keepQuery(who: SignedIn): Promise<Record<string, string>> {
    const opened = await who.send({ method: 'POST', url: '/api/systrail/keep', payload: { companyId: null, ...days } })
    const { keep, from, to } = opened.json()
    return { format: 'ndjson', keep, from: String(from), to: String(to) }
  }

  /** Nobody takes it for the complete file. */
  function expectCut(format: Format, { status, body, isComplete }: Received): void {
    expect([format, status, isComplete]).toEqual([format, 200, false])
    if (format === 'xlsx') expect(body.includes(zipEnd)).toBe(false)
    if (format === 'ndjson') expect(body.toString()).not.toContain('"count"')
  }

  function expectProblem({ status, headers, body, isComplete }: Received, code: string): void {
    expect([status, JSON.parse(body.toString()).errorCode, isComplete]).toEqual([
      code === 'UNAVAILABLE' ? 503 : 500,
      code,
      true,
    ])
    expect(headers['content-type']).toContain('application/json')
    expect(headers['content-disposition']).toBeUndefined()
    expect(headers['content-encoding']).toBeUndefined()
  }

  /** No program could have written it so. */
  const damage = (n: number) =>
    pastPolicies(server.app.database, (db) =>
      sql`update audit_entry set leaf = 'damaged' where (info ->> 'n')::integer = ${n}`.execute(db),
    )

  /** Holds the table for another session while `work` runs. */
  const locked = (work: () => Promise<void>): Promise<void> =>
    server.app.database.kysely.transaction().execute(async (db) => {
      await sql`lock table audit_leaf in access exclusive mode`.execute(db)
      await work()
    })

  it.skipIf(engine === 'embedded')(
    'fault 1a answers 503 where the log is locked for longer than a statement waits, in each format',
    async () => {
      await fill(3)
      const urls = await Promise.all(formats.map((format) => exportUrl(format)))
      await locked(async () => {
        for (const received of await Promise.all(urls.map((url) => download(url, signed(admin)))))
          expectProblem(received, 'UNAVAILABLE')
      })
      for (const url of urls)
        expect(await download(url, signed(admin))).toMatchObject({ status: 200, isComplete: true })
    },
  )

  describe('of which a row is damaged', () => {
    /** More than one piece. */
    beforeEach(() => fill(400))

    it.each(['csv', 'xlsx'] as const)(
      'fault 1b answers 500 where it is the first one, and cuts the file where it is a later one (%s)',
      async (format) => {
        const [url, latestFirst] = [await exportUrl(format), await exportUrl(format, admin, { sortOrder: 'desc' })]
        await damage(399)
        expectProblem(await download(latestFirst, signed(admin)), 'SERVER_ERROR')
        expectProblem(await download(latestFirst, { ...signed(admin), 'accept-encoding': 'br' }), 'SERVER_ERROR')
        expectCut(format, await download(url, signed(admin)))
        await damage(300)
        expectCut(format, await download(url, signed(admin)))
        expect(server.logged()).toContain('a response was cut off')
      },
    )

    it('fault 1b never sends a compressed file as complete, nor a problem as compressed', async () => {
      await damage(399)
      const received = await download(await exportUrl('csv'), { ...signed(admin), 'accept-encoding': 'br' })
      // 0: what was packed had not left yet.
      if ([0, 200].includes(received.status)) expect(received.isComplete).toBe(false)
      else expectProblem(received, 'SERVER_ERROR')
    })

    it('fault 1b resets the connection of HTTP/1.0, where its end is the end of the file', async () => {
      await damage(399)
      const { pathname, search, port } = new URL(await exportUrl('csv'))
      const socket = connect(Number(port), '127.0.0.1')
      const end = new Promise((ended) => {
        socket.on('error', (error: NodeJS.ErrnoException) => ended(error.code)).on('end', () => ended('end'))
      })
      socket.resume()
      socket.write(`GET ${pathname}${search} HTTP/1.0\r\nAuthorization: Bearer ${admin.access}\r\n\r\n`)
      expect(await end).toBe('ECONNRESET')
    })
  })

  describe('of a file on the disk', () => {
    it('fault 1f is cut off where nobody reads it for long', async () => {
      const isClosed = new Promise((closed) =>
        server.fastify.server.once('connection', (socket: Socket) => socket.once('close', closed)),
      )
      const opened = await openDownload(`${origin}/large.txt`)
      expect(opened.status).toBe(200)
      await isClosed
      expect((await opened.rest()).isComplete).toBe(false)
      expect(await download(`${origin}/large.txt`)).toMatchObject({ status: 200, isComplete: true })
    })
  })

  describe('of a list (NDJSON)', () => {
    /** Users of alpha beside those of the world. */
    const addUsers = (count: number) =>
      pastPolicies(server.app.database, (db) =>
        sql`insert into portal_user (company_id, name, name_key, email, email_key, title, admin, orders, alert, status, language,
            access_level, seal_key, create_time, update_time, change)
          select ${server.world.companies.alpha}, 'n' || n, 'n' || n, 'n' || n || '@alpha.example', 'n' || n || '@alpha.example', 0, false,
            false, false, 1, 'en', 0, 'k', 1, 1, 1 from generate_series(1, ${count}) n`.execute(db),
      )
    const read = () =>
      download(`${origin}/api/m18s/company/${server.world.companies.alpha}/users?since=`, {
        ...signed(admin),
        accept: 'application/x-ndjson',
      })

    it.each([
      [1, 500],
      [700, 200],
      [1_200, 200],
    ])('fault 1c is cut without its last line where user %i cannot be sent', async (n, status) => {
      await addUsers(1_200)
      expect((await read()).body.toString()).toContain('"upto"')
      await pastPolicies(server.app.database, (db) =>
        sql`update portal_user set create_time = 9e15::bigint where name = ${`n${n}`}`.execute(db),
      )
      const received = await read()
      expect([received.status, received.isComplete]).toEqual([status, status !== 200])
      expect(received.body.toString()).not.toContain('"upto"')
    })
  })

  describe('of a service’s log', () => {
    let isClosed = false
    const line = (n: number): LogLine => ({ time: at + n, task: 1, level: 'info', text: 'x'.repeat(1_000) })
    async function* linesUntil(end: number): AsyncGenerator<LogLine> {
      try {
        for (let n = 0; n < end; n++) yield line(n)
        throw new Error('the disk is gone')
      } finally {
        isClosed = true
      }
    }
    async function logUrl(end: number): Promise<string> {
      isClosed = false
      Object.assign(server.app, { hosting: { ...server.app.hosting, readLog: () => linesUntil(end) } })
      const { alpha: companyId } = server.world.companies
      const orderer = await server.signIn('order@alpha')
      const { caller, sessionId } = await principalOf(server.app, `Bearer ${orderer.access}`)
      if (!caller) throw new Error('not signed in')
      const key = await inTransaction(server.app, { role: 'portal_app', companyId }, (db) =>
        issueTicket(
          { db, caller, sessionId, now: server.clock.now },
          { kind: 'log', subject: { serviceId: 1, code: 'acme', from: 0, to: at * 2 } },
        ),
      )
      return `${origin}/public/log/${key}`
    }

    it('fault 1d answers 500 where its first line cannot be read, and is cut where a later one cannot', async () => {
      expectProblem(await download(await logUrl(0)), 'SERVER_ERROR')
      const received = await download(await logUrl(500))
      expect([received.status, received.isComplete]).toEqual([200, false])
    })

    it('fault 1e closes its files when the reader leaves in the middle', async () => {
      const opened = await openDownload(await logUrl(1_000_000))
      expect([opened.status, isClosed]).toEqual([200, false])
      opened.leave()
      await expect.poll(() => isClosed).toBe(true)
    })

    it('fault 1f is cut off where nobody reads it for long', async () => {
      const opened = await openDownload(await logUrl(1_000_000))
      await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true)
      expect((await opened.rest()).isComplete).toBe(false)
    })
  })
})
