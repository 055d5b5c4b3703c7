/** Tests pro-forma invoices: frozen content, one as long as nothing changes, and refusals (decision 124). */
import { expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'
import { readPdf } from '#tests/support/documents/read-pdf.ts'
import { setUpTransfers } from '#tests/support/orders/bank-transfers.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('pro-forma invoices', (engine) => {
  const setup = setUpTransfers(engine)
  const { actors, fixture, order, toItem, requestProforma, recordTransfer, credit, runAsSystem } = setup
  const listRows = () => runAsSystem((db) => db.selectFrom('proforma').selectAll().orderBy('id').execute())
  const readWhy = (response: { statusCode: number; json(): unknown }) => {
    const { errorCode, data } = response.json() as { errorCode: string; data: { why?: string } | null }
    return [response.statusCode, errorCode, data?.why]
  }
  const setAccount = (account: string) => {
    const { payments } = fixture.server.app
    const bankAccounts = payments.bankAccounts.map((bankAccount) => ({ ...bankAccount, account }))
    fixture.server.app.payments = { ...payments, bankAccounts }
    return () => {
      fixture.server.app.payments = payments
    }
  }

  test('have a number, the bank account, the credit and what is left to transfer', async () => {
    const shop = await order()
    await credit(await recordTransfer({ amount: '2000.01' }))
    const response = await requestProforma([toItem(shop)])
    expect(response.json()).toEqual({
      id: expect.any(Number),
      code: 'PF202603000001',
      currency: 'HKD',
      amount: '42000.00',
      credit: '2000.01',
      transfer: '39999.99',
      due: expect.stringMatching(/^2026-03-/),
      account: {
        currency: 'HKD',
        holder: 'M18 Limited',
        bank: 'Test Bank',
        account: '012-345-HKD',
        bic: 'TESTHKHH',
        address: null,
      },
    })
    const [row] = await listRows()
    expect(row).toMatchObject({ company_id: fixture.server.world.companies.alpha, order_id: shop.id, group_id: null })
    expect(row?.content).toMatchObject({
      proforma_no: 'PF202603000001',
      time_zone: 'Asia/Hong_Kong',
      seller: { code: 'm18' },
      buyer: { code: 'alpha' },
      items: [{ service: { code: 'shop' }, order: { type: 'create', users: 10 }, pay_amount: '42000.00' }],
    })
    const entry = (await readAuditEntries(fixture.server, 'order')).at(-1)
    expect(entry).toMatchObject({
      operation: 'create',
      info: { ServiceCode: 'shop', ProformaNo: 'PF202603000001', Amount: 'HKD 39999.99' },
    })
  })

  test('are the same as long as nothing changes, and new ones after any change', async () => {
    const [shop, store] = [await order(), await order('store')]
    const items = [toItem(shop), toItem(store)]
    const request = async (requestedItems = items) => (await requestProforma(requestedItems)).json().code as string
    const codes = await Promise.all([request(), request(items.toReversed()), request()])
    expect(new Set(codes)).toEqual(new Set(['PF202603000001']))
    expect(await request([toItem(shop)])).toBe('PF202603000002')
    await credit(await recordTransfer({ amount: '1.00' }))
    expect(await request()).toBe('PF202603000003')
    const resetAccount = setAccount('999')
    expect(await request()).toBe('PF202603000004')
    resetAccount()
    expect(await request()).toBe('PF202603000005')
    await runAsSystem((db) =>
      db.updateTable('company').set({ addr1: 'New street 1' }).where('code', '=', 'alpha').execute(),
    )
    expect(await request()).toBe('PF202603000006')
    await runAsSystem((db) =>
      db.updateTable('company').set({ addr1: 'New tower 1' }).where('code', '=', 'm18').execute(),
    )
    expect(await request()).toBe('PF202603000007')
    fixture.server.clock.now += 60_000
    expect(await request()).toBe('PF202603000007')
    const contents = (await listRows()).map(({ content }) => content as { account: { account: string } })
    expect(contents.map(({ account }) => account.account)[3]).toBe('999')
  })

  test('are refused for what cannot be paid, without an account, and if credit covers all', async () => {
    const shop = await order()
    const foreign = await order('store', {}, await fixture.server.signIn('order@beta'))
    const { payments } = fixture.server.app
    expect(readWhy(await requestProforma([toItem(foreign)]))).toEqual([404, 'NOT_FOUND', undefined])
    expect((await requestProforma([toItem(shop), toItem(shop)])).json()).toMatchObject({
      data: [{ field: 'items', code: 'REPEATED' }],
    })
    fixture.server.app.payments = { ...payments, bankAccounts: [] }
    expect(readWhy(await requestProforma([toItem(shop)]))).toEqual([501, 'NOT_SUPPORT', undefined])
    fixture.server.app.payments = payments
    await credit(await recordTransfer({ amount: '42000.00' }))
    expect(readWhy(await requestProforma([toItem(shop)]))).toEqual([409, 'STATE_CONFLICT', 'creditCovers'])
    const paid = await buyOrder(fixture.server, actors.buyer, { code: 'paid' })
    expect(readWhy(await requestProforma([toItem(paid)]))).toEqual([409, 'STATE_CONFLICT', 'paidAlready'])
    fixture.server.clock.now += 30 * 86_400_000
    actors.buyer = await fixture.server.signIn('order@alpha')
    expect(readWhy(await requestProforma([toItem(shop)]))).toEqual([409, 'STATE_CONFLICT', 'invalid'])
    const admin = await fixture.server.signIn('admin@alpha')
    expect((await requestProforma([toItem(shop)], admin)).statusCode).toBe(403)
    expect(await listRows()).toEqual([])
  })

  test('are limited per user, and a repeated request counts once', async () => {
    const orders = [await order('first'), await order('second'), await order('third')]
    const { payments } = fixture.server.app
    fixture.server.app.payments = { ...payments, maxPaymentsPerUser: 2 }
    const statuses: number[] = []
    for (const each of [orders[0], orders[0], orders[1], orders[2], orders[0]])
      statuses.push((await requestProforma(each ? [toItem(each)] : [])).statusCode)
    fixture.server.app.payments = payments
    expect(statuses).toEqual([200, 200, 200, 429, 200])
  })

  test('are found in the reference of a transfer, also with spaces, and paid with it', async () => {
    const shop = await order()
    const proforma = (await requestProforma([toItem(shop)])).json()
    const reference = `Inv ${proforma.code.slice(0, 6)} ${proforma.code.slice(6)}`
    const transfer = await recordTransfer({ amount: proforma.transfer, reference })
    const [proposal] = transfer.proposals
    expect(proposal).toMatchObject({ match: 'proforma', proforma_code: proforma.code, company_code: 'alpha' })
    expect(proposal?.items).toMatchObject([{ contractType: 'CONTRACT', id: shop.id, amount: '42000.00' }])
    const paid = await credit(
      transfer,
      proposal?.items.map(({ contractType, id }) => ({ contractType, id })),
    )
    expect(paid.json()).toMatchObject({ state: 'credited', invoices: [expect.any(String)] })
  })

  test.each(['en', 'zh'] as const)('exist as a page and as a PDF with searchable texts (%s)', async (language) => {
    const shop = await order('shop', { currency: 'RMB' })
    const { id } = (await requestProforma([toItem(shop)])).json()
    const open = async (caller: SignedIn, format: 'html' | 'pdf') => {
      const payload = { kind: 'PROFORMA', id, language, format }
      const { url } = (await caller.send({ method: 'POST', url: '/api/print', payload })).json()
      return await fixture.server.send({ url, headers: { accept: 'text/html,application/pdf' } })
    }
    const pdf = await open(actors.buyer, 'pdf')
    expect(pdf.headers['content-disposition']).toBe('inline; filename="PF202603000001.pdf"')
    const { pages } = await readPdf(pdf.rawPayload)
    const pdfText = pages.flatMap((page) => page.texts.map(({ text }) => text)).join(' ')
    const pageText = (await open(actors.staff, 'html')).body.replace(/<[^>]+>/g, ' ')
    const shorten = (text: string) => text.replace(/\s+/g, '')
    const texts = {
      en: [
        'Pro-forma invoice',
        'PF202603000001',
        'Payment reference',
        '012-345-RMB',
        'To transfer',
        'not a tax document',
      ],
      zh: ['形式发票', 'PF202603000001', '付款附言', '012-345-RMB', '应转账金额', '不是税务凭证', '元整'],
    }[language]
    for (const printed of [pdfText, pageText].map(shorten))
      for (const text of texts) expect(printed).toContain(shorten(text))
    const foreignUser = await fixture.server.signIn('order@beta')
    const refused = await foreignUser.send({ method: 'POST', url: '/api/print', payload: { kind: 'PROFORMA', id } })
    expect(refused.statusCode).toBe(404)
  })

  test('are not visible to another company', async () => {
    await requestProforma([toItem(await order())])
    const { beta, alpha } = fixture.server.world.companies
    const readAs = (companyId: number) =>
      runInTransaction(fixture.server.app, { role: 'portal_app', companyId }, (db) =>
        db.selectFrom('proforma').select('code').execute(),
      )
    expect([await readAs(beta), await readAs(alpha)]).toEqual([[], [{ code: 'PF202603000001' }]])
  })
})
