/** Tests the mails about refunds that customers get (decisions 122 and 123). */
import { expect, test } from 'vitest'
import { eachEngine } from '#tests/support/server/database.ts'
import { readPdf } from '#tests/support/documents/read-pdf.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'

eachEngine('mails about refunds', (engine) => {
  const setup = setUpRefunds(engine)
  const { inbox, listDocuments } = setup

  test('have the credit note as a PDF, mention it, and open the invoices', async () => {
    const invoice = await setup.payInvoice()
    await inbox.fetch()
    await setup.refund(invoice, { ...setup.transferFields, amount: '5.00' })
    const [creditNote] = await listDocuments('creditNote')
    const mails = (await inbox.fetch()).filter(({ subject }) => subject.startsWith('An invoice was refunded'))
    expect(mails.length).toBeGreaterThan(0)
    for (const { attachments = [], text, html } of mails) {
      expect(attachments.map(({ name, type }) => [name, type])).toEqual([
        [`${creditNote?.code}.pdf`, 'application/pdf'],
      ])
      const { pages } = await readPdf(attachments[0]?.bytes ?? Buffer.alloc(0))
      expect(pages[0]?.lines).toContain('Total HKD 5.00')
      for (const part of [text, html]) {
        expect(part).toContain('The credit note is attached as a PDF.')
        expect(part).toContain('/saas/app/invoice?lang=en')
      }
    }
  })
})
