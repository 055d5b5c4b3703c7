/** Tests credit notes as pages and as PDFs (decisions 122 and 123). */
import { expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { readPdf } from '#tests/support/documents/read-pdf.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { onConnections } from '#tests/support/server/database.ts'

onConnections('credit notes', (engine) => {
  const fixture = setUpShop(engine)

  test.each([
    ['en', ['Credit note CN202603000001', 'Two days of downtime', 'Refunded on 2026-03-02', '10 concurrent users']],
    ['zh', ['CN202603000001', 'Two days of downtime', '2026-03-02', '新合同']],
  ] as const)(
    'have their reason, their day and what was bought, as a page and as a PDF (%s)',
    async (language, texts) => {
      const { server } = fixture
      const [buyer, staff] = [await server.signIn('order@alpha'), await server.signIn('admin@m18')]
      await buyOrder(server, buyer)
      const documents = () =>
        runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
          await db.updateTable('portal_user').set({ orders: true }).where('id', '=', staff.userId).execute()
          return await db.selectFrom('document').select(['id', 'code']).orderBy('id', 'desc').execute()
        })
      const [invoice] = await documents()
      const transfer = { route: 'transfer', reference: 'FT1', date: '2026-03-02', reason: 'Two days of downtime' }
      const payload = { ...transfer, amount: '7.00', refunded_before: '0.00', confirmation: invoice?.code }
      const refund = await staff.send({ method: 'POST', url: `/api/invoice/${invoice?.id}/refund`, payload })
      expect(refund.statusCode).toBe(200)
      const [creditNote] = await documents()
      const open = async (format: 'html' | 'pdf') => {
        const printed = { kind: 'INVOICE', id: creditNote?.id, language, format }
        const { url } = (await buyer.send({ method: 'POST', url: '/api/print', payload: printed })).json()
        return await server.send({ url, headers: { accept: 'text/html,application/pdf' } })
      }
      const pdf = await open('pdf')
      expect(pdf.headers['content-disposition']).toBe('inline; filename="CN202603000001.pdf"')
      const { pages } = await readPdf(pdf.rawPayload)
      const pdfText = pages.flatMap((page) => page.texts.map(({ text }) => text)).join(' ')
      const pageText = (await open('html')).body.replace(/<[^>]+>/g, ' ')
      const shorten = (text: string) => text.replace(/\s+/g, '')
      for (const printed of [pdfText, pageText].map(shorten))
        for (const text of texts) expect(printed).toContain(shorten(text))
    },
  )
})
