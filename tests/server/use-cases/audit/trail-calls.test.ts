/** Tests the calls that read the audit trail: access, filters, pages, files and streams (contracts 2, 7, D51). */
import { text } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { isEqualHash, hashLeaf } from '#domain/audit-log/hash.ts'
import { fromBase64 } from '#domain/audit-log/base64.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { readFieldErrors } from '#tests/support/server/forms.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const dayMs = 86_400_000
const noon = Date.parse('2026-03-10T04:00:00Z')

interface EntryInput extends Partial<AuditEntry> {
  company?: never
  time?: number
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

  const write = (company: 'alpha' | 'beta' | 'm18', ...entries: EntryInput[]) =>
    runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      for (const { time = noon, status = 0, userId = null, intent = null, ...note } of entries) {
        const companyId = server.world.companies[company]
        await addAuditEntries(db, { companyId, userId, now: time, status, intent, requestId: 'r' }, [
          { code: 'user', operation: 'update', info: {}, ...note },
        ])
      }
    })
  const get = async (caller: SignedIn, query: Record<string, string | number> = {}, path = '') => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    return caller.send({ url: `/api/systrail${path}?${search}` })
  }
  const listRows = async (caller: SignedIn, query: Record<string, string | number> = {}): Promise<AuditEntryRow[]> =>
    (await get(caller, { results: 50, ...query })).json().data
  const listOperations = async (caller: SignedIn, query: Record<string, string | number> = {}) =>
    (await listRows(caller, query)).map(({ operation }) => operation)
  /** Date filter without the sign-in entries, which every session writes. */
  const entryDates = { dateFrom: '2026-03-05', dateTo: '2026-12-31' }

  describe('access to the trail', () => {
    it('is limited to admins and to their company', async () => {
      await write('alpha', { operation: 'create' })
      await write('beta', { operation: 'delete' })
      expect(await listOperations(admin, entryDates)).toEqual(['create'])
      expect((await get(await server.signIn('order@alpha'))).statusCode).toBe(403)
      expect((await get(admin, { companyId: server.world.companies.beta })).statusCode).toBe(404)
      expect((await get(admin, { companyId: 0 })).statusCode).toBe(400)
      expect((await get(admin, { companyId: 0 }, '/checkpoint')).statusCode).toBe(404)
    })

    it('covers every company for provider admins, who see which staff member acted', async () => {
      const staff = await server.signIn('admin@m18')
      const { m18, beta } = server.world.companies
      const { userId } = staff
      await write('beta', { operation: 'create' })
      await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
        addAuditEntries(db, { companyId: m18, userId, now: noon, status: 0, intent: null, requestId: '' }, [
          { code: 'order', operation: 'update', info: {}, company: { id: beta, actor: 'm18' } },
        ]),
      )
      const [byProvider, byCustomer] = await listRows(staff, { companyId: beta, ...entryDates })
      expect(byCustomer).toMatchObject({ operation: 'create', by_provider: false })
      expect(byProvider).toMatchObject({ by_provider: true, exec_user_id: server.world.users['admin@m18'] })
      expect(byProvider?.exec_user_name).not.toBe('')
      const [customerRow] = await listRows(await server.signIn('admin@beta'), { code: 'order' })
      expect(customerRow).toMatchObject({ by_provider: true, exec_user_id: null, exec_user_name: '' })
      const userFilter = { user: server.world.users['admin@m18'] ?? 0 }
      expect(await listOperations(staff, { companyId: beta, ...userFilter })).toEqual(['update'])
      expect(await listOperations(await server.signIn('admin@beta'), userFilter)).toEqual([])
    })

    it('is limited to the delete level for entries of modules, apps and prices', async () => {
      await write('m18', { code: 'price', operation: 'confirm' }, { code: 'order', operation: 'pay' })
      expect(await listOperations(await server.signIn('admin@m18'), entryDates)).toEqual(['pay'])
      expect(await listOperations(await server.signIn('admin@m18'), { ...entryDates, code: 'price' })).toEqual([])
      expect((await listOperations(await server.signIn('delete@m18'), entryDates)).toSorted()).toEqual([
        'confirm',
        'pay',
      ])
    })
  })

  describe('filters of the trail', () => {
    const intent = '6f6f2f0e-6d0a-4a1c-8c6e-8f6f5f5f5f5f'
    beforeEach(() =>
      write(
        'alpha',
        {
          operation: 'create',
          time: noon,
          info: { UserName: 'Zoë Quimby' },
          userId: server.world.users['second@alpha'] ?? 0,
        },
        { operation: 'delete', code: 'order', time: noon + dayMs, status: -1, info: { ServiceCode: 'acme 100%' } },
        { operation: 'pay', code: 'order', time: noon + 2 * dayMs, intent },
        {
          operation: 'update',
          time: noon + 3 * dayMs,
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
    ])('return the matching entries in order for %j', async (query, expected) => {
      expect(await listOperations(admin, { ...entryDates, ...query } as Record<string, string>)).toEqual(expected)
    })

    it('leave out logins on request', async () => {
      const operations = await listOperations(admin)
      expect(operations).toContain('login')
      const otherOperations = operations.filter((operation) => operation !== 'login')
      expect(await listOperations(admin, { withoutLogins: 'true' })).toEqual(otherOperations)
    })

    it('find the entries of a person', async () => {
      const user = server.world.users['second@alpha'] ?? 0
      const matches = await listRows(admin, { ...entryDates, user })
      expect(matches.map(({ operation }) => operation)).toEqual(['create'])
      expect(matches[0]?.exec_user_name).toContain('second')
    })

    it('find an entry by its id if the caller may see it', async () => {
      const [entry] = await listRows(admin, { ...entryDates, operation: 'pay' })
      const id = entry?.id ?? 0
      expect(await listRows(admin, { entry: id })).toEqual([entry])
      expect(await listOperations(admin, { entry: id, code: 'user' })).toEqual([])
      expect((await get(admin, { entry: id })).json()).toMatchObject({ count: 1 })
      expect((await get(admin, { entry: id, page: 2 })).json()).toMatchObject({ data: [] })
      // Entries of another company, and entries of the catalogue without the delete level, are not found.
      const otherAdmin = await server.signIn('admin@beta')
      expect(await listOperations(otherAdmin, { entry: id })).toEqual([])
      await write('m18', { code: 'price', operation: 'confirm' })
      const [priceEntry] = await listRows(await server.signIn('delete@m18'), { ...entryDates, code: 'price' })
      const staff = await server.signIn('admin@m18')
      expect(await listOperations(staff, { entry: priceEntry?.id ?? 0 })).toEqual([])
      expect(await listOperations(staff, { entry: id })).toEqual([])
      expect(await listOperations(staff, { entry: id, companyId: server.world.companies.alpha })).toEqual(['pay'])
      for (const invalidId of ['0', '-1', '1.5', 'x', '2147483648', '1 or 1=1'])
        expect((await get(admin, { entry: invalidId })).statusCode, invalidId).toBe(400)
    })

    it.each([
      [{ dateFrom: '2026-02-30' }, 'dateFrom', 'INVALID_FORMAT'],
      [{ dateTo: '2026-13-01' }, 'dateTo', 'INVALID_FORMAT'],
      [{ dateFrom: '2026-03-12', dateTo: '2026-03-11' }, 'dateTo', 'OUT_OF_RANGE'],
      [{ page: 201, results: 50 }, 'page', 'OUT_OF_RANGE'],
    ])('report the invalid field of %j', async (query, field, code) => {
      const response = await get(admin, query as Record<string, string>)
      expect(response.statusCode).toBe(400)
      expect(readFieldErrors(response)).toEqual([`${field} ${code}`])
    })

    it('count done and failed entries by day of the business time zone', async () => {
      // In Hong Kong, the first entry is in the last second of a day and the second entry in the first second of the next day.
      await write('alpha', { time: Date.parse('2026-03-13T15:59:59Z') }, { time: Date.parse('2026-03-13T16:00:00Z') })
      const response = (await get(admin, { dateFrom: '2026-03-10', dateTo: '2026-03-14' }, '/activity')).json()
      expect(response).toEqual({
        from: null,
        days: [
          { day: '2026-03-10', done: 1, failed: 0 },
          { day: '2026-03-11', done: 0, failed: 1 },
          { day: '2026-03-12', done: 1, failed: 0 },
          { day: '2026-03-13', done: 2, failed: 0 },
          { day: '2026-03-14', done: 1, failed: 0 },
        ],
      })
      const longRange = (await get(admin, { dateFrom: '2020-01-01', dateTo: '2026-03-14' }, '/activity')).json()
      expect((await get(admin, { dateFrom: '2099-01-01' }, '/activity')).json()).toEqual({ from: null, days: [] })
      expect(longRange).toMatchObject({ from: '2025-02-08', days: [{ day: '2026-03-02' }, ...response.days] })
    })
  })

  it('continue after a given entry, beyond the page limit', async () => {
    await write(
      'alpha',
      ...Array.from({ length: 25 }, (_, index) => ({ operation: `op${index}`, time: noon + Math.floor(index / 5) })),
    )
    const first = await listRows(admin, { ...entryDates, results: 10 })
    const second = await listRows(admin, { ...entryDates, results: 10, after: first.at(-1)?.id ?? 0 })
    const byPage = await listRows(admin, { ...entryDates, results: 10, page: 2 })
    expect(second).toEqual(byPage)
    const third = await get(admin, { ...entryDates, results: 10, after: second.at(-1)?.id ?? 0 })
    expect(third.json()).toMatchObject({ count: 25 })
    expect(third.json().data).toHaveLength(5)
    expect(await listRows(admin, { ...entryDates, after: 2_000_000_000 })).toEqual([])
  })

  describe('the log of the trail', () => {
    it('has a signed checkpoint and tiles that contain the leaf of each row', async () => {
      await write('alpha', ...Array.from({ length: 7 }, (_, index) => ({ operation: `op${index}` })))
      const checkpointBefore = (await get(admin, {}, '/checkpoint')).json()
      expect(checkpointBefore).toMatchObject({ note: null, pending: 8 })
      expect((await get(admin, {}, '/tile/0/0')).statusCode).toBe(404)
      expect((await listRows(admin, entryDates)).every(({ log_index }) => log_index === null)).toBe(true)
      await integrate(server.app)
      const { note, key, pending } = (await get(admin, {}, '/checkpoint')).json()
      expect(pending).toBe(0)
      expect(openCheckpoint(note, key).size).toBe(8)
      const hashes = fromBase64((await get(admin, {}, '/tile/0/0')).json().hashes) ?? new Uint8Array()
      const allRows = await listRows(admin)
      expect(allRows).toHaveLength(8)
      for (const { log_index, leaf } of allRows) {
        const offset = (log_index ?? -1) * 32
        expect(isEqualHash(hashLeaf(leaf), hashes.subarray(offset, offset + 32))).toBe(true)
      }
      expect((await get(admin, {}, '/tile/1/0')).statusCode).toBe(404)
      expect((await get(admin, {}, '/tile/9/0')).statusCode).toBe(400)
    })
  })

  describe('the export as a file', () => {
    it('contains the filtered rows, is safe to open and is recorded', async () => {
      await write(
        'alpha',
        { operation: 'create', code: 'order', info: { ServiceCode: '=cmd|x' } },
        { operation: 'delete', code: 'order', status: -1, info: { ServiceCode: 'a"b,c' } },
        { operation: 'create', code: 'user' },
      )
      const response = await get(admin, { format: 'csv', code: 'order' }, '/export')
      expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
      expect(response.headers['content-disposition']).toMatch(
        /^attachment; filename="audit-trail-\d{4}-\d\d-\d\d\.csv"$/,
      )
      const lines = response.body.replace('\uFEFF', '').trimEnd().split('\r\n')
      expect(lines[0]).toBe(
        'id,log_index,end_time,code,operation,exec_user_id,exec_user_name,status,info,changes,intent,request_id',
      )
      expect(lines).toHaveLength(3)
      expect(lines[1]).toContain('order,delete')
      expect(lines[1]).toContain('"{""ServiceCode"":""a\\""b,c""}"')
      const [exportEntry] = await listRows(admin, { operation: 'export' })
      expect(exportEntry).toMatchObject({ code: 'system', info: { Format: 'csv', code: 'order' } })
    })

    it('is a spreadsheet with text cells only', async () => {
      await write('alpha', { info: { UserName: '=1+1 <b>&\u0001 _x0041_' }, intent: null })
      const response = await get(admin, { ...entryDates, format: 'xlsx' }, '/export')
      const zip = await fromBufferPromise(response.rawPayload)
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

    nightly('contains each row once, also across several chunks', async () => {
      await write('alpha', ...Array.from({ length: 2_100 }, (_, index) => ({ operation: `op${index}` })))
      const response = await get(admin, { ...entryDates, format: 'csv', sortOrder: 'asc' }, '/export')
      const lines = response.body.trimEnd().split('\r\n').slice(1)
      expect(lines).toHaveLength(2_100)
      expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(2_100)
    })
  })

  describe('the export for a device', () => {
    const dateRange = { dateFrom: '2026-03-10', dateTo: '2026-03-11' }
    const parseLines = (body: string) =>
      body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    const startExport = (caller: SignedIn, companyId: number | null = null) =>
      caller.send({ method: 'POST', url: '/api/systrail/keep', payload: { companyId, ...dateRange } })

    it('has a size, a recorded key, and a stream without gaps', async () => {
      await write(
        'alpha',
        { time: noon - dayMs, operation: 'before' },
        { time: noon, operation: 'first' },
        { time: noon + 9 * dayMs, operation: 'late' },
        { time: noon + dayMs, operation: 'last' },
        { time: noon + 3 * dayMs, operation: 'after' },
      )
      await integrate(server.app)
      const measuredRange = (await get(admin, dateRange, '/range')).json()
      expect(measuredRange).toMatchObject({ entries: 3 })
      expect(measuredRange.to - measuredRange.from).toBe(3)
      expect((await get(admin, { format: 'ndjson' }, '/export')).statusCode).toBe(403)
      expect((await get(admin, { format: 'ndjson', keep: 'somethingelse' }, '/export')).statusCode).toBe(403)
      const exportStart = (await startExport(admin)).json()
      expect(exportStart).toMatchObject({ ...measuredRange, company_id: server.world.companies.alpha })
      const [exportEntry] = await listRows(admin, { operation: 'export' })
      expect(exportEntry).toMatchObject({
        info: { DateFrom: dateRange.dateFrom, DateTo: dateRange.dateTo, Entries: 3, Format: 'device' },
      })
      const range = { from: exportStart.from, to: exportStart.to }
      const response = await get(admin, { format: 'ndjson', keep: exportStart.keep, ...range }, '/export')
      const [head, ...rest] = parseLines(response.body)
      expect(head).toEqual({ zone: 'Asia/Hong_Kong', ...range })
      expect(rest.at(-1)).toEqual({ count: 3, note: (await get(admin, {}, '/checkpoint')).json().note })
      const entries = rest.slice(0, -1)
      expect(entries.map(({ index }) => index)).toEqual([exportStart.from, exportStart.from + 1, exportStart.from + 2])
      expect(entries.map(({ leaf }) => JSON.parse(leaf).operation)).toEqual(['first', 'late', 'last'])
      for (const { leaf } of entries) expect(toCanonicalJson(JSON.parse(leaf))).toBe(leaf)
      // The same key also opens later entries, but only for its user.
      await integrate(server.app)
      const laterLines = parseLines(
        (await get(admin, { format: 'ndjson', keep: exportStart.keep, from: exportStart.to }, '/export')).body,
      )
      expect(laterLines.at(-1).count).toBeGreaterThan(0)
      const secondAdmin = await server.signIn('second@alpha')
      expect((await get(secondAdmin, { format: 'ndjson', keep: exportStart.keep }, '/export')).statusCode).toBe(403)
      expect((await get(admin, { format: 'ndjson', keep: exportStart.keep, from: 1000 }, '/export')).statusCode).toBe(
        400,
      )
    })

    it('contains only hashes of entries that the reader may not see', async () => {
      await write('m18', { code: 'price', operation: 'confirm' }, { code: 'order', operation: 'pay' })
      await integrate(server.app)
      const readExport = async (caller: SignedIn) => {
        const exportStart = (await startExport(caller)).json()
        const { from, to } = exportStart
        return parseLines(
          (await get(caller, { format: 'ndjson', keep: exportStart.keep, from, to }, '/export')).body,
        ).slice(1, -1)
      }
      const fullLines = await readExport(await server.signIn('delete@m18'))
      const partialLines = await readExport(await server.signIn('admin@m18'))
      expect(fullLines.map((line) => Object.keys(line))).toEqual([
        ['index', 'leaf'],
        ['index', 'leaf'],
      ])
      const hiddenLines = partialLines.filter((line) => 'hash' in line)
      expect(hiddenLines).toHaveLength(1)
      const sameLine = fullLines.find(({ index }) => index === hiddenLines[0]?.index)
      expect(JSON.parse(sameLine?.leaf).code).toBe('price')
      expect(fromBase64(hiddenLines[0]?.hash)).toEqual(hashLeaf(sameLine?.leaf ?? ''))
    })

    it('is recorded in the log of the customer when the provider exports it', async () => {
      await write('beta', { operation: 'create' })
      const staff = await server.signIn('admin@m18')
      expect((await startExport(staff, server.world.companies.beta)).statusCode).toBe(200)
      const [exportEntry] = await listRows(await server.signIn('admin@beta'), { operation: 'export' })
      expect(exportEntry).toMatchObject({ by_provider: true, exec_user_name: '', info: { Format: 'device' } })
      expect((await startExport(admin, server.world.companies.beta)).statusCode).toBe(404)
      // The export as a file is recorded too, and the provider sees which of its users made it.
      const customerFilter = { companyId: server.world.companies.beta }
      expect((await get(staff, { ...customerFilter, format: 'csv' }, '/export')).statusCode).toBe(200)
      const [file, device] = await listRows(staff, { ...customerFilter, operation: 'export' })
      expect([file?.info['Format'], device?.info['Format']]).toEqual(['csv', 'device'])
      expect(file?.exec_user_name).toBe(device?.exec_user_name)
      expect(file?.exec_user_name).toContain('admin')
    })
  })
})
