/** The trail as its readers ask for it (contracts 2, 7, D51): whose, what of it, page by page, as a file, as a stream. */
import { text } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canonical } from '#domain/audit-log/canonical.ts'
import { openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { equalHashes, leafHash } from '#domain/audit-log/hash.ts'
import { fromBase64 } from '#domain/audit-log/base64.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { wrong } from '#tests/support/server/forms.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const dayMs = 86_400_000
const noon = Date.parse('2026-03-10T04:00:00Z')

interface Written extends Partial<AuditEntry> {
  company?: never
  at?: number
  status?: 0 | -1
  userId?: number | null
  intent?: string | null
}

onConnections('the calls of the audit trail', (engine) => {
  let server: TestServer
  let admin: SignedIn
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
  })
  afterAll(() => server.close())

  const write = (company: 'alpha' | 'beta' | 'm18', ...entries: Written[]) =>
    inTransaction(server.app, { role: 'portal_system' }, async (db) => {
      for (const { at = noon, status = 0, userId = null, intent = null, ...note } of entries) {
        const companyId = server.world.companies[company]
        await addToTrail(db, { companyId, userId, now: at, status, intent, requestId: 'r' }, [
          { code: 'user', operation: 'update', info: {}, ...note },
        ])
      }
    })
  const get = async (who: SignedIn, query: Record<string, string | number> = {}, path = '') => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    return who.send({ url: `/api/systrail${path}?${search}` })
  }
  const rows = async (who: SignedIn, query: Record<string, string | number> = {}): Promise<AuditEntryRow[]> =>
    (await get(who, { results: 50, ...query })).json().data
  const names = async (who: SignedIn, query: Record<string, string | number> = {}) =>
    (await rows(who, query)).map(({ operation }) => operation)
  /** Without those of the signing in, which come with every session. */
  const old = { dateFrom: '2026-03-05', dateTo: '2026-12-31' }

  describe('whose', () => {
    it('is the own company’s, to the admin and to nobody under them', async () => {
      await write('alpha', { operation: 'create' })
      await write('beta', { operation: 'delete' })
      expect(await names(admin, old)).toEqual(['create'])
      expect((await get(await server.signIn('order@alpha'))).statusCode).toBe(403)
      expect((await get(admin, { companyId: server.world.companies.beta })).statusCode).toBe(404)
      expect((await get(admin, { companyId: 0 })).statusCode).toBe(400)
      expect((await get(admin, { companyId: 0 }, '/checkpoint')).statusCode).toBe(404)
    })

    it('is any company’s to the provider’s admin, who reads which of the staff acted', async () => {
      const staff = await server.signIn('admin@m18')
      const { m18, beta } = server.world.companies
      await write('beta', { operation: 'create' })
      await inTransaction(server.app, { role: 'portal_system' }, (db) =>
        addToTrail(
          db,
          {
            companyId: m18,
            userId: server.world.users['admin@m18'] ?? 0,
            now: noon,
            status: 0,
            intent: null,
            requestId: '',
          },
          [{ code: 'order', operation: 'update', info: {}, company: { id: beta, actor: 'm18' } }],
        ),
      )
      const [acted, own] = await rows(staff, { companyId: beta, ...old })
      expect(own).toMatchObject({ operation: 'create', by_provider: false })
      expect(acted).toMatchObject({ by_provider: true, exec_user_id: server.world.users['admin@m18'] })
      expect(acted?.exec_user_name).not.toBe('')
      const [shown] = await rows(await server.signIn('admin@beta'), { code: 'order' })
      expect(shown).toMatchObject({ by_provider: true, exec_user_id: null, exec_user_name: '' })
      const person = { user: server.world.users['admin@m18'] ?? 0 }
      expect(await names(staff, { companyId: beta, ...person })).toEqual(['update'])
      expect(await names(await server.signIn('admin@beta'), person)).toEqual([])
    })

    it('shows modules, apps and prices to the delete level alone', async () => {
      await write('m18', { code: 'price', operation: 'confirm' }, { code: 'order', operation: 'pay' })
      expect(await names(await server.signIn('admin@m18'), old)).toEqual(['pay'])
      expect(await names(await server.signIn('admin@m18'), { ...old, code: 'price' })).toEqual([])
      expect((await names(await server.signIn('delete@m18'), old)).toSorted()).toEqual(['confirm', 'pay'])
    })
  })

  describe('what of it', () => {
    const intent = '6f6f2f0e-6d0a-4a1c-8c6e-8f6f5f5f5f5f'
    beforeEach(() =>
      write(
        'alpha',
        {
          operation: 'create',
          at: noon,
          info: { UserName: 'Zoë Quimby' },
          userId: server.world.users['second@alpha'] ?? 0,
        },
        { operation: 'delete', code: 'order', at: noon + dayMs, status: -1, info: { ServiceCode: 'acme 100%' } },
        { operation: 'pay', code: 'order', at: noon + 2 * dayMs, intent },
        {
          operation: 'update',
          at: noon + 3 * dayMs,
          changes: [{ field: 'email', before: 'old@example.com', after: '陈美玲@example.com' }],
        },
      ),
    )

    it.each([
      [{}, ['update', 'pay', 'delete', 'create']],
      [{ sortOrder: 'asc', sortField: 'end_time' }, ['create', 'delete', 'pay', 'update']],
      [{ code: 'order' }, ['pay', 'delete']],
      [{ operation: 'create' }, ['create']],
      [{ code: 'order', operation: 'create' }, []],
      [{ status: -1 }, ['delete']],
      [{ status: 0 }, ['update', 'pay', 'create']],
      [{ intent }, ['pay']],
      [{ dateFrom: '2026-03-11' }, ['update', 'pay', 'delete']],
      [{ dateTo: '2026-03-11' }, ['delete', 'create']],
      [{ dateFrom: '2026-03-11', dateTo: '2026-03-11' }, ['delete']],
      [{ searchText: 'zOË quim' }, ['create']],
      [{ searchText: '100%' }, ['delete']],
      [{ searchText: '%' }, ['delete']],
      [{ searchText: '陈美玲' }, ['update']],
      [{ searchText: 'old@' }, ['update']],
      [{ searchText: "' or 1=1 --" }, []],
    ])('by %j', async (query, expected) => {
      expect(await names(admin, { ...old, ...query } as Record<string, string>)).toEqual(expected)
    })

    it('by a person', async () => {
      const user = server.world.users['second@alpha'] ?? 0
      const found = await rows(admin, { ...old, user })
      expect(found.map(({ operation }) => operation)).toEqual(['create'])
      expect(found[0]?.exec_user_name).toContain('second')
    })

    it('by its id, which finds nothing that this reader may not see', async () => {
      const [entry] = await rows(admin, { ...old, operation: 'pay' })
      const id = entry?.id ?? 0
      expect(await rows(admin, { entry: id })).toEqual([entry])
      expect(await names(admin, { entry: id, code: 'user' })).toEqual([])
      expect((await get(admin, { entry: id })).json()).toMatchObject({ count: 1 })
      expect((await get(admin, { entry: id, page: 2 })).json()).toMatchObject({ data: [] })
      // Of another company's log, and of the catalogue for who is not of the delete level.
      const other = await server.signIn('admin@beta')
      expect(await names(other, { entry: id })).toEqual([])
      await write('m18', { code: 'price', operation: 'confirm' })
      const [price] = await rows(await server.signIn('delete@m18'), { ...old, code: 'price' })
      const staff = await server.signIn('admin@m18')
      expect(await names(staff, { entry: price?.id ?? 0 })).toEqual([])
      expect(await names(staff, { entry: id })).toEqual([])
      expect(await names(staff, { entry: id, companyId: server.world.companies.alpha })).toEqual(['pay'])
      for (const wrong of ['0', '-1', '1.5', 'x', '2147483648', '1 or 1=1'])
        expect((await get(admin, { entry: wrong })).statusCode, wrong).toBe(400)
    })

    it.each([
      [{ dateFrom: '2026-02-30' }, 'dateFrom', 'INVALID_FORMAT'],
      [{ dateTo: '2026-13-01' }, 'dateTo', 'INVALID_FORMAT'],
      [{ dateFrom: '2026-03-12', dateTo: '2026-03-11' }, 'dateTo', 'OUT_OF_RANGE'],
      [{ page: 201, results: 50 }, 'page', 'OUT_OF_RANGE'],
    ])('and says which of %j is wrong', async (query, field, code) => {
      const answer = await get(admin, query as Record<string, string>)
      expect(answer.statusCode).toBe(400)
      expect(wrong(answer)).toEqual([`${field} ${code}`])
    })

    it('by days of the business time zone, done and failed apart', async () => {
      // 23:30 in Hong Kong is still the day; half an hour later is the next.
      await write('alpha', { at: Date.parse('2026-03-13T15:59:59Z') }, { at: Date.parse('2026-03-13T16:00:00Z') })
      const answer = (await get(admin, { dateFrom: '2026-03-10', dateTo: '2026-03-14' }, '/activity')).json()
      expect(answer).toEqual({
        from: null,
        days: [
          { day: '2026-03-10', done: 1, failed: 0 },
          { day: '2026-03-11', done: 0, failed: 1 },
          { day: '2026-03-12', done: 1, failed: 0 },
          { day: '2026-03-13', done: 2, failed: 0 },
          { day: '2026-03-14', done: 1, failed: 0 },
        ],
      })
      const far = (await get(admin, { dateFrom: '2020-01-01', dateTo: '2026-03-14' }, '/activity')).json()
      // Days that have not come yet.
      expect((await get(admin, { dateFrom: '2099-01-01' }, '/activity')).json()).toEqual({ from: null, days: [] })
      expect(far).toMatchObject({ from: '2025-02-08', days: [{ day: '2026-03-02' }, ...answer.days] })
    })
  })

  it('goes on behind an entry as if pages had no end', async () => {
    await write(
      'alpha',
      ...Array.from({ length: 25 }, (_, at) => ({ operation: `op${at}`, at: noon + Math.floor(at / 5) })),
    )
    const first = await rows(admin, { ...old, results: 10 })
    const second = await rows(admin, { ...old, results: 10, after: first.at(-1)?.id ?? 0 })
    const byPage = await rows(admin, { ...old, results: 10, page: 2 })
    expect(second).toEqual(byPage)
    const third = await get(admin, { ...old, results: 10, after: second.at(-1)?.id ?? 0 })
    expect(third.json()).toMatchObject({ count: 25 })
    expect(third.json().data).toHaveLength(5)
    expect(await rows(admin, { ...old, after: 2_000_000_000 })).toEqual([])
  })

  describe('the log', () => {
    it('is a signed checkpoint and tiles, of which each row’s leaf is one', async () => {
      await write('alpha', ...Array.from({ length: 7 }, (_, at) => ({ operation: `op${at}` })))
      const before = (await get(admin, {}, '/checkpoint')).json()
      expect(before).toMatchObject({ note: null, pending: 8 })
      expect((await get(admin, {}, '/tile/0/0')).statusCode).toBe(404)
      expect((await rows(admin, old)).every(({ log_index }) => log_index === null)).toBe(true)
      await integrate(server.app)
      const { note, key, pending } = (await get(admin, {}, '/checkpoint')).json()
      expect(pending).toBe(0)
      expect(openCheckpoint(note, key).size).toBe(8)
      const hashes = fromBase64((await get(admin, {}, '/tile/0/0')).json().hashes) ?? new Uint8Array()
      const all = await rows(admin)
      expect(all).toHaveLength(8)
      for (const { log_index, leaf } of all) {
        const at = (log_index ?? -1) * 32
        expect(equalHashes(leafHash(leaf), hashes.subarray(at, at + 32))).toBe(true)
      }
      expect((await get(admin, {}, '/tile/1/0')).statusCode).toBe(404)
      expect((await get(admin, {}, '/tile/9/0')).statusCode).toBe(400)
    })
  })

  describe('as a file', () => {
    it('holds exactly what is filtered, is safe to open, and is an entry itself', async () => {
      await write(
        'alpha',
        { operation: 'create', code: 'order', info: { ServiceCode: '=cmd|x' } },
        { operation: 'delete', code: 'order', status: -1, info: { ServiceCode: 'a"b,c' } },
        { operation: 'create', code: 'user' },
      )
      const answer = await get(admin, { format: 'csv', code: 'order' }, '/export')
      expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
      expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="audit-trail-\d{4}-\d\d-\d\d\.csv"$/)
      const lines = answer.body.replace('\uFEFF', '').trimEnd().split('\r\n')
      expect(lines[0]).toBe(
        'id,log_index,end_time,code,operation,exec_user_id,exec_user_name,status,info,changes,intent,request_id',
      )
      expect(lines).toHaveLength(3)
      expect(lines[1]).toContain('order,delete')
      expect(lines[1]).toContain('"{""ServiceCode"":""a\\""b,c""}"')
      const [logged] = await rows(admin, { operation: 'export' })
      expect(logged).toMatchObject({ code: 'system', info: { Format: 'csv', code: 'order' } })
    })

    it('is a spreadsheet whose cells are texts', async () => {
      await write('alpha', { info: { UserName: '=1+1 <b>&\u0001 _x0041_' }, intent: null })
      const answer = await get(admin, { ...old, format: 'xlsx' }, '/export')
      const zip = await fromBufferPromise(answer.rawPayload)
      const files = new Map<string, string>()
      for await (const entry of zip.eachEntry())
        files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)))
      expect([...files.keys()].toSorted()).toEqual([
        '[Content_Types].xml',
        '_rels/.rels',
        'xl/_rels/workbook.xml.rels',
        'xl/workbook.xml',
        'xl/worksheets/sheet1.xml',
      ])
      const sheet = files.get('xl/worksheets/sheet1.xml') ?? ''
      expect(sheet.match(/<row>/g)).toHaveLength(2)
      expect(sheet).toContain(
        '<is><t xml:space="preserve">{"UserName":"=1+1 &lt;b&gt;&amp;\\u0001 _x005F_x0041_"}</t></is>',
      )
      expect(sheet).not.toContain('<f>')
    })

    nightly('has more rows than a piece, each once', async () => {
      await write('alpha', ...Array.from({ length: 2_100 }, (_, at) => ({ operation: `op${at}` })))
      const answer = await get(admin, { ...old, format: 'csv', sortOrder: 'asc' }, '/export')
      const lines = answer.body.trimEnd().split('\r\n').slice(1)
      expect(lines).toHaveLength(2_100)
      expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(2_100)
    })
  })

  describe('a range for a device', () => {
    const days = { dateFrom: '2026-03-10', dateTo: '2026-03-11' }
    const lines = (body: string) =>
      body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    const keep = (who: SignedIn, companyId: number | null = null) =>
      who.send({ method: 'POST', url: '/api/systrail/keep', payload: { companyId, ...days } })

    it('is measured, opened by a word that is recorded, and streamed without a gap', async () => {
      await write(
        'alpha',
        { at: noon - dayMs, operation: 'before' },
        { at: noon, operation: 'first' },
        { at: noon + 9 * dayMs, operation: 'late' },
        { at: noon + dayMs, operation: 'last' },
        { at: noon + 3 * dayMs, operation: 'after' },
      )
      await integrate(server.app)
      const measured = (await get(admin, days, '/range')).json()
      expect(measured).toMatchObject({ entries: 3 })
      expect(measured.to - measured.from).toBe(3)
      expect((await get(admin, { format: 'ndjson' }, '/export')).statusCode).toBe(403)
      expect((await get(admin, { format: 'ndjson', keep: 'somethingelse' }, '/export')).statusCode).toBe(403)
      const begun = (await keep(admin)).json()
      expect(begun).toMatchObject({ ...measured, company_id: server.world.companies.alpha })
      const [logged] = await rows(admin, { operation: 'export' })
      expect(logged).toMatchObject({
        info: { DateFrom: days.dateFrom, DateTo: days.dateTo, Entries: 3, Format: 'device' },
      })
      const range = { from: begun.from, to: begun.to }
      const answer = await get(admin, { format: 'ndjson', keep: begun.keep, ...range }, '/export')
      const [head, ...rest] = lines(answer.body)
      expect(head).toEqual({ zone: 'Asia/Hong_Kong', ...range })
      expect(rest.at(-1)).toEqual({ count: 3, note: (await get(admin, {}, '/checkpoint')).json().note })
      const entries = rest.slice(0, -1)
      expect(entries.map(({ index }) => index)).toEqual([begun.from, begun.from + 1, begun.from + 2])
      expect(entries.map(({ leaf }) => JSON.parse(leaf).operation)).toEqual(['first', 'late', 'last'])
      for (const { leaf } of entries) expect(canonical(JSON.parse(leaf))).toBe(leaf)
      // The same word opens what comes later, and nobody else's.
      await integrate(server.app)
      const later = lines((await get(admin, { format: 'ndjson', keep: begun.keep, from: begun.to }, '/export')).body)
      expect(later.at(-1).count).toBeGreaterThan(0)
      const second = await server.signIn('second@alpha')
      expect((await get(second, { format: 'ndjson', keep: begun.keep }, '/export')).statusCode).toBe(403)
      expect((await get(admin, { format: 'ndjson', keep: begun.keep, from: 1000 }, '/export')).statusCode).toBe(400)
    })

    it('holds hashes alone of what the reader may not see', async () => {
      await write('m18', { code: 'price', operation: 'confirm' }, { code: 'order', operation: 'pay' })
      await integrate(server.app)
      const open = async (who: SignedIn) => {
        const begun = (await keep(who)).json()
        const { from, to } = begun
        return lines((await get(who, { format: 'ndjson', keep: begun.keep, from, to }, '/export')).body).slice(1, -1)
      }
      const whole = await open(await server.signIn('delete@m18'))
      const part = await open(await server.signIn('admin@m18'))
      expect(whole.map((line) => Object.keys(line))).toEqual([
        ['index', 'leaf'],
        ['index', 'leaf'],
      ])
      const hidden = part.filter((line) => 'hash' in line)
      expect(hidden).toHaveLength(1)
      const same = whole.find(({ index }) => index === hidden[0]?.index)
      expect(JSON.parse(same?.leaf).code).toBe('price')
      expect(fromBase64(hidden[0]?.hash)).toEqual(leafHash(same?.leaf ?? ''))
    })

    it('of a customer is recorded in the customer’s log when the provider keeps it', async () => {
      await write('beta', { operation: 'create' })
      const staff = await server.signIn('admin@m18')
      expect((await keep(staff, server.world.companies.beta)).statusCode).toBe(200)
      const [logged] = await rows(await server.signIn('admin@beta'), { operation: 'export' })
      expect(logged).toMatchObject({ by_provider: true, exec_user_name: '', info: { Format: 'device' } })
      expect((await keep(admin, server.world.companies.beta)).statusCode).toBe(404)
      // So is a file of it, and the provider reads which of the staff it was.
      const of = { companyId: server.world.companies.beta }
      expect((await get(staff, { ...of, format: 'csv' }, '/export')).statusCode).toBe(200)
      const [file, device] = await rows(staff, { ...of, operation: 'export' })
      expect([file?.info['Format'], device?.info['Format']]).toEqual(['csv', 'device'])
      expect(file?.exec_user_name).toBe(device?.exec_user_name)
      expect(file?.exec_user_name).toContain('admin')
    })
  })
})
