/** Tests the rows of credit notes in the register of invoices, and their entries in the audit trail (decision 121). */
import { expect, test } from 'vitest'
import type { InvoiceRow } from '#contract/invoices.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'

eachEngineByNight('credit notes in the register', (engine) => {
  const setup = setUpRefunds(engine)
  const { actors, fixture, refund, transferFields } = setup
  const list = async (search = ''): Promise<InvoiceRow[]> => {
    const url = `/api/invoice?companyId=${fixture.server.world.companies.alpha}&sortField=id&${search}`
    return (await actors.buyer.send({ url })).json().data
  }

  test('name their invoice, are found by its number, and are refunded', async () => {
    const invoice = await setup.payInvoice()
    const other = await setup.payInvoice('other')
    await refund(invoice, { ...transferFields, amount: '5.00' })
    const fields = { invoice_code: invoice.code, invoice_document_id: invoice.id }
    const rows = [
      { ...fields, kind: 'invoice', code: invoice.code, state: 'partlyRefunded' },
      { ...fields, kind: 'creditNote', code: 'CN202603000001', amount: '5.00', state: 'refunded' },
    ]
    expect(await list(`searchText=${invoice.code.toLowerCase()}`)).toMatchObject(rows)
    expect(await list('kind=creditNote&state=refunded')).toMatchObject(rows.slice(1))
    expect(await list(`id=${other.id}`)).toMatchObject([{ invoice_code: other.code, invoice_document_id: other.id }])
  })

  test('are recorded with their own number when they are opened', async () => {
    await refund(await setup.payInvoice(), { ...transferFields, amount: '5.00' })
    const [creditNote] = await list('kind=creditNote')
    const payload = { kind: 'INVOICE', id: creditNote?.id }
    await actors.buyer.send({ method: 'POST', url: '/api/print', payload })
    const entries = (await readAuditEntries(fixture.server, 'order')).filter(({ operation }) => operation === 'print')
    expect(entries.map(({ info }) => info)).toEqual([{ ServiceCode: 'shop', CreditNoteNo: 'CN202603000001' }])
  })
})
