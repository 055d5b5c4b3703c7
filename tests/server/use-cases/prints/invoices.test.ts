/** Tests invoices as pages and as PDFs, opened with the tickets of other prints (decision 122). */
import { beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import { writePdf } from '#server/drivers/pdf/write-pdf.ts'
import { buildInvoice } from '#server/use-cases/documents/build-invoice.ts'
import { readInvoiceOfItem } from '#server/use-cases/documents/read-document.ts'
import { createInvoiceContent } from '#tests/support/documents/invoice-content.ts'
import { createBackupOrder, createTraffic } from '#tests/support/hosting/backups.ts'
import { readPdf } from '#tests/support/documents/read-pdf.ts'
import { buyOrder, type OrderRow, payOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { bypassPolicies, onConnections } from '#tests/support/server/database.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

onConnections('invoices', (engine) => {
  const fixture = setUpShop(engine)
  let server: TestServer
  let buyer: SignedIn
  beforeEach(async () => {
    server = fixture.server
    buyer = await server.signIn('order@alpha')
  })

  const system = { role: 'portal_system' } as const
  /** Returns the newest row of the register. */
  const readDocument = () =>
    runInTransaction(server.app, system, (db) =>
      db.selectFrom('document').select(['id', 'code']).orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow(),
    )
  const requestPrint = (caller: SignedIn, payload: object) =>
    caller.send({ method: 'POST', url: '/api/print', payload: { kind: 'INVOICE', ...payload } })
  const openPrint = (url: string) => server.send({ url, headers: { accept: 'text/html,application/pdf' } })
  const openDocument = async (fields: object, caller = buyer) =>
    openPrint((await requestPrint(caller, { id: (await readDocument()).id, ...fields })).json().url)

  /** Returns the texts of the newest invoice as a page and as a PDF. */
  async function readBoth(language: 'en' | 'zh' = 'en'): Promise<string[]> {
    const page = await openDocument({ language })
    const pdf = await openDocument({ language, format: 'pdf' })
    expect([page.statusCode, pdf.statusCode]).toEqual([200, 200])
    const pageText = page.body
      .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&amp;', '&')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
    const { pages } = await readPdf(pdf.rawPayload)
    // A value that is longer than its column continues on the next line, so spaces do not count.
    return [pageText, pages.flatMap(({ texts }) => texts.map(({ text }) => text)).join(' ')].map((text) =>
      text.replace(/\s+/g, ''),
    )
  }
  const expectInBoth = async (expectedTexts: string[], language?: 'en' | 'zh') => {
    for (const text of await readBoth(language))
      for (const expectedText of expectedTexts) expect(text).toContain(expectedText.replace(/\s+/g, ''))
  }
  const changeOrder = async (payload: object) => {
    const order = (await buyer.send({ method: 'POST', url: '/api/contract', payload })).json() as OrderRow
    await payOrder(server, order, { currency: order['currency'] as 'HKD' })
  }

  test('of a new contract have parties, subject, steps, total in words and payment, also after modules were renamed', async () => {
    await buyOrder(server, buyer, { currency: 'RMB', name: 'Shop & <b>more</b>' })
    await runInTransaction(server.app, system, (db) => db.updateTable('module').set({ name: 'Renamed' }).execute())
    const { code } = await readDocument()
    await expectInBoth([
      'Invoice',
      code,
      canaries.alpha,
      canaries.m18,
      'Shop & <b>more</b>',
      'New contract',
      '2026-03-02 to 2027-03-01',
      '10 concurrent users',
      'Annual fee',
      'Total RMB',
      'In words',
      '元整',
      'Paid by test',
    ])
    for (const text of await readBoth()) expect(text).not.toContain('Renamed')
    await expectInBoth(['发票（Invoice）', '新合同', '2026-03-02 至 2027-03-01', '大写', '已付款'], 'zh')
  })

  test('of an extension and of a change have their own type and period', async () => {
    const { contract_id } = await buyOrder(server, buyer, { currency: 'USD' })
    await changeOrder({ type: 'extend', contract_id, period: 2 })
    await expectInBoth(['Type Extension', '2027-03-02 to 2029-03-01', 'Total USD'])
  })

  test('of a change subtract what was paid before', async () => {
    const { contract_id } = await buyOrder(server, buyer)
    await changeOrder({ type: 'change', contract_id, users: 30 })
    await expectInBoth(['Type Change', '30 concurrent users', 'Contract amount HKD', 'Less what was paid before −HKD'])
    for (const text of await readBoth()) expect(text).not.toContain('Inwords')
  })

  test('of backups and traffic have their period, discount, and GB', async () => {
    await buyOrder(server, buyer)
    await createBackupOrder(server, 'shop')
    await expectInBoth([
      'Database to file storage (pdb2s3)',
      '2026-03-02 to 2027-03-01',
      'Before the discount HKD 6,000.00',
      'Less 10% −HKD 600.00',
      'Total HKD 5,400.00',
    ])
    await createTraffic(server, 'shop')
    await expectInBoth(['Month', 'Measured', 'Free each month', 'Price per GB HKD', 'Total HKD'])
  })

  test('as a PDF have a file name, are not stored, run nothing, and are the same each time', async () => {
    await buyOrder(server, buyer)
    const { code } = await readDocument()
    const response = await openDocument({ format: 'pdf' })
    expect(response.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${code}.pdf"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers['content-security-policy']).toMatch(/^default-src 'none';/)
    server.clock.now += 1000
    const staff = await server.signIn('order@m18')
    expect((await openDocument({ format: 'pdf', language: 'en' }, staff)).rawPayload.equals(response.rawPayload)).toBe(
      true,
    )
  })

  test('keep the time zone of their issue when the setting changes, and older ones have the setting', async () => {
    const { id } = await buyOrder(server, buyer)
    const app = { ...server.app, config: { ...server.app.config, timeZone: 'America/New_York' } }
    const readInvoice = () =>
      runInTransaction(server.app, system, (db) =>
        readInvoiceOfItem(db, { kind: 'order', id }, { app, language: 'en' }),
      )
    expect(await readInvoice()).toMatchObject({
      timeZone: 'Asia/Hong_Kong',
      notes: [expect.stringContaining('Asia/Hong_Kong')],
    })
    const forget = sql`update invoice set content = content - 'time_zone'`
    await bypassPolicies(server.app.database, (db) => forget.execute(db))
    expect(await readInvoice()).toMatchObject({ notes: [expect.stringContaining('America/New_York')] })
  })

  test('as a PDF are refused with a time while the user waits for two others, and the ticket stays valid', async () => {
    await buyOrder(server, buyer)
    const { url } = (await requestPrint(buyer, { id: (await readDocument()).id, format: 'pdf' })).json()
    const document = buildInvoice(createInvoiceContent(), { language: 'en', timeZone: 'UTC' })
    let isAnswered = false
    // The next document takes the place before anything else runs, so both places are taken until the answer.
    const keepPlaceTaken = async () => {
      while (!isAnswered) await writePdf(document, { userId: buyer.userId })
    }
    const places = [keepPlaceTaken(), keepPlaceTaken()]
    const response = await openPrint(url)
    isAnswered = true
    expect([response.statusCode, response.json().errorCode]).toEqual([503, 'UNAVAILABLE'])
    expect(response.headers['retry-after']).toBe('5')
    await Promise.all(places)
    expect((await openPrint(url)).statusCode).toBe(200)
  })

  test('as a PDF are opened once, and HEAD names their type', async () => {
    await buyOrder(server, buyer)
    const { url } = (await requestPrint(buyer, { id: (await readDocument()).id, format: 'pdf' })).json()
    const head = await server.send({ method: 'HEAD', url })
    expect([head.statusCode, head.headers['content-type']]).toEqual([200, 'application/pdf'])
    expect((await openPrint(url)).statusCode).toBe(200)
    expect((await openPrint(url)).statusCode).toBe(404)
  })

  test('are printed with the order right only, by their company or by staff', async () => {
    await buyOrder(server, buyer)
    const { id } = await readDocument()
    expect((await requestPrint(await server.signIn('admin@alpha'), { id })).statusCode).toBe(403)
    expect((await requestPrint(await server.signIn('order@beta'), { id })).statusCode).toBe(404)
    expect((await requestPrint(buyer, { id: 999_999 })).statusCode).toBe(404)
    expect((await requestPrint(await server.signIn('order@m18'), { id })).statusCode).toBe(200)
  })

  test('are recorded in the audit trail with their number', async () => {
    await buyOrder(server, buyer)
    const { id, code } = await readDocument()
    await requestPrint(buyer, { id, format: 'pdf' })
    const entries = await runInTransaction(server.app, system, (db) =>
      db.selectFrom('audit_entry').select(['code', 'info']).where('operation', '=', 'print').execute(),
    )
    expect(entries).toEqual([
      { code: 'order', info: expect.objectContaining({ InvoiceNo: code, ServiceCode: 'shop' }) },
    ])
  })

  test('are the only prints that exist as a PDF (VALIDATION_ERROR)', async () => {
    const { contract_id: id } = await buyOrder(server, buyer)
    const response = await requestPrint(buyer, { kind: 'contract', id, format: 'pdf' })
    expect([response.statusCode, response.json().errorCode]).toEqual([400, 'VALIDATION_ERROR'])
    expect(
      (await openPrint((await requestPrint(buyer, { kind: 'contract', id, format: 'html' })).json().url)).body,
    ).toContain('Service contract')
  })
})
