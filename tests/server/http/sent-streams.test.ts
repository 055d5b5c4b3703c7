/** Tests of streams that fail while they are sent: the response is visibly cut off, and nothing else is affected (decision 58). */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { authenticate } from '#server/http/authenticate.ts'
import { issueTicket } from '#server/use-cases/tickets.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { onConnections, bypassPolicies } from '#tests/support/server/database.ts'
import { download, openDownload, type CompletedDownload } from '#tests/support/server/download.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'

const formats = ['csv', 'xlsx', 'ndjson'] as const
type ExportFormat = (typeof formats)[number]

/** Marks the end of a zip file's central directory. No program opens a zip file without it. */
const zipEnd = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const startAt = Date.parse('2026-03-10T04:00:00Z')
const dateRange = { dateFrom: '2026-03-10', dateTo: '2026-03-10' }

expectNothingUncaught()

onConnections('a streamed response', (engine) => {
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

  async function fillAuditTrail(count: number): Promise<void> {
    await writeGeneratedEntries(server.app, {
      companyId: server.world.companies.alpha,
      count,
      startAt,
      intervalMs: 1000,
    })
    await integrate(server.app)
  }

  const createAuthorization = (user: SignedIn) => ({ authorization: `Bearer ${user.accessToken}` })

  async function buildExportUrl(
    format: ExportFormat,
    user = admin,
    extraQuery: Record<string, string> = {},
  ): Promise<string> {
    const query =
      format === 'ndjson'
        ? await startTrailStorage(user)
        : { format, sortField: 'end_time', sortOrder: 'asc', ...dateRange, ...extraQuery }
    return `${origin}/api/systrail/export?${new URLSearchParams(query)}`
  }

  async function startTrailStorage(user: SignedIn): Promise<Record<string, string>> {
    const response = await user.send({
      method: 'POST',
      url: '/api/systrail/keep',
      payload: { companyId: null, ...dateRange },
    })
    const { keep, from, to } = response.json()
    return { format: 'ndjson', keep, from: String(from), to: String(to) }
  }

  /** Expects a response that cannot be mistaken for a complete file. */
  function expectCut(format: ExportFormat, { status, body, isComplete }: CompletedDownload): void {
    expect([format, status, isComplete]).toEqual([format, 200, false])
    if (format === 'xlsx') expect(body.includes(zipEnd)).toBe(false)
    if (format === 'ndjson') expect(body.toString()).not.toContain('"count"')
  }

  function expectProblem({ status, headers, body, isComplete }: CompletedDownload, code: string): void {
    expect([status, JSON.parse(body.toString()).errorCode, isComplete]).toEqual([
      code === 'UNAVAILABLE' ? 503 : 500,
      code,
      true,
    ])
    expect(headers['content-type']).toContain('application/json')
    expect(headers['content-disposition']).toBeUndefined()
    expect(headers['content-encoding']).toBeUndefined()
  }

  /** Makes an entry unreadable. No code of the portal writes such an entry. */
  const damageEntry = (entryNumber: number) =>
    bypassPolicies(server.app.database, (db) =>
      sql`update audit_entry set leaf = 'damaged' where (info ->> 'n')::integer = ${entryNumber}`.execute(db),
    )

  /** Locks the table of leaves in another transaction while `callback` runs. */
  const withLockedLog = (callback: () => Promise<void>): Promise<void> =>
    server.app.database.kysely.transaction().execute(async (db) => {
      await sql`lock table audit_leaf in access exclusive mode`.execute(db)
      await callback()
    })

  it.skipIf(engine === 'embedded')(
    'returns 503 in each format if the log stays locked longer than the statement timeout (fault 1a)',
    async () => {
      await fillAuditTrail(3)
      const urls = await Promise.all(formats.map((format) => buildExportUrl(format)))
      await withLockedLog(async () => {
        for (const result of await Promise.all(urls.map((url) => download(url, createAuthorization(admin)))))
          expectProblem(result, 'UNAVAILABLE')
      })
      for (const url of urls)
        expect(await download(url, createAuthorization(admin))).toMatchObject({ status: 200, isComplete: true })
    },
  )

  describe('an export with a damaged row', () => {
    /** Writes enough entries for more than one piece of the stream. */
    beforeEach(() => fillAuditTrail(400))

    it.each(['csv', 'xlsx'] as const)(
      'returns 500 if the first row is damaged, and is cut off at a later damaged row (%s) (fault 1b)',
      async (format) => {
        const [url, latestFirstUrl] = [
          await buildExportUrl(format),
          await buildExportUrl(format, admin, { sortOrder: 'desc' }),
        ]
        await damageEntry(399)
        expectProblem(await download(latestFirstUrl, createAuthorization(admin)), 'SERVER_ERROR')
        expectProblem(
          await download(latestFirstUrl, { ...createAuthorization(admin), 'accept-encoding': 'br' }),
          'SERVER_ERROR',
        )
        expectCut(format, await download(url, createAuthorization(admin)))
        await damageEntry(300)
        expectCut(format, await download(url, createAuthorization(admin)))
        expect(server.readLog()).toContain('"event":"response_aborted"')
      },
    )

    it('never sends a compressed file as complete, nor a problem as compressed (fault 1b)', async () => {
      await damageEntry(399)
      const result = await download(await buildExportUrl('csv'), {
        ...createAuthorization(admin),
        'accept-encoding': 'br',
      })
      // The status is 0 if no compressed byte was sent yet.
      if ([0, 200].includes(result.status)) expect(result.isComplete).toBe(false)
      else expectProblem(result, 'SERVER_ERROR')
    })

    it('resets an HTTP/1.0 connection, whose end would mark the file as complete (fault 1b)', async () => {
      await damageEntry(399)
      const { pathname, search, port } = new URL(await buildExportUrl('csv'))
      const socket = connect(Number(port), '127.0.0.1')
      const end = new Promise((resolve) => {
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)).on('end', () => resolve('end'))
      })
      socket.resume()
      socket.write(`GET ${pathname}${search} HTTP/1.0\r\nAuthorization: Bearer ${admin.accessToken}\r\n\r\n`)
      expect(await end).toBe('ECONNRESET')
    })
  })

  describe('a file on disk', () => {
    it('is cut off if nobody reads it for a long time (fault 1f)', async () => {
      const closePromise = new Promise((resolve) =>
        server.fastify.server.once('connection', (socket: Socket) => socket.once('close', resolve)),
      )
      const reader = await openDownload(`${origin}/large.txt`)
      expect(reader.status).toBe(200)
      await closePromise
      expect((await reader.readRest()).isComplete).toBe(false)
      expect(await download(`${origin}/large.txt`)).toMatchObject({ status: 200, isComplete: true })
    })
  })

  describe('a list (NDJSON)', () => {
    /** Adds users to the company alpha. */
    const addUsers = (count: number) =>
      bypassPolicies(server.app.database, (db) =>
        sql`insert into portal_user (company_id, name, name_key, email, email_key, title, admin, orders, alert, status, language,
            access_level, seal_key, create_time, update_time, change)
          select ${server.world.companies.alpha}, 'n' || n, 'n' || n, 'n' || n || '@alpha.example', 'n' || n || '@alpha.example', 0, false,
            false, false, 1, 'en', 0, 'k', 1, 1, 1 from generate_series(1, ${count}) n`.execute(db),
      )
    const downloadUsers = () =>
      download(`${origin}/api/m18s/company/${server.world.companies.alpha}/users?since=`, {
        ...createAuthorization(admin),
        accept: 'application/x-ndjson',
      })

    it.each([
      [1, 500],
      [700, 200],
      [1_200, 200],
    ])('is sent without its last record if user %i cannot be sent (fault 1c)', async (n, status) => {
      await addUsers(1_200)
      expect((await downloadUsers()).body.toString()).toContain('"upto"')
      await bypassPolicies(server.app.database, (db) =>
        sql`update portal_user set create_time = 9e15::bigint where name = ${`n${n}`}`.execute(db),
      )
      const result = await downloadUsers()
      expect([result.status, result.isComplete]).toEqual([status, status !== 200])
      expect(result.body.toString()).not.toContain('"upto"')
    })
  })

  describe('a service log', () => {
    let isClosed = false
    const line = (n: number): InstanceLogLine => ({
      time: startAt + n,
      task: 1,
      level: 'info',
      text: 'x'.repeat(1_000),
    })
    async function* linesUntil(lineCount: number): AsyncGenerator<InstanceLogLine> {
      try {
        for (let n = 0; n < lineCount; n++) yield line(n)
        throw new Error('the disk is gone')
      } finally {
        isClosed = true
      }
    }
    async function createLogUrl(lineCount: number): Promise<string> {
      isClosed = false
      Object.assign(server.app, { hosting: { ...server.app.hosting, readLog: () => linesUntil(lineCount) } })
      const { alpha: companyId } = server.world.companies
      const orderUser = await server.signIn('order@alpha')
      const { caller, sessionId } = await authenticate(server.app, `Bearer ${orderUser.accessToken}`)
      if (!caller) throw new Error('not signed in')
      const key = await runInTransaction(server.app, { role: 'portal_app', companyId }, (db) =>
        issueTicket(
          { db, caller, sessionId, now: server.clock.now },
          { kind: 'log', subject: { serviceId: 1, code: 'acme', from: 0, to: startAt * 2 } },
        ),
      )
      return `${origin}/public/log/${key}`
    }

    it('returns 500 if the first entry cannot be read, and is cut off at a later unreadable entry (fault 1d)', async () => {
      expectProblem(await download(await createLogUrl(0)), 'SERVER_ERROR')
      const result = await download(await createLogUrl(500))
      expect([result.status, result.isComplete]).toEqual([200, false])
    })

    it('closes its files when the reader disconnects (fault 1e)', async () => {
      const reader = await openDownload(await createLogUrl(1_000_000))
      expect([reader.status, isClosed]).toEqual([200, false])
      reader.abort()
      await expect.poll(() => isClosed).toBe(true)
    })

    it('is cut off for a reader that stalls (fault 1f)', async () => {
      const reader = await openDownload(await createLogUrl(1_000_000))
      await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true)
      expect((await reader.readRest()).isComplete).toBe(false)
    })
  })
})
