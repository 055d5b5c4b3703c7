/** Tests the mails about refunds that customers get (decisions 122 and 123). */
import { expect, test } from 'vitest'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { readPdf } from '#tests/support/documents/read-pdf.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'

eachEngineByNight('mails about refunds', (engine) => {
  const setup = setUpRefunds(engine)
  const { inbox, listDocuments, collectCalls, sendCalls, getStaffAtGateway } = setup

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

  test('tell the staff of an inquiry, and again when it becomes a dispute', async () => {
    const { reference, code } = await setup.payInvoice()
    await inbox.fetch()
    let id = ''
    const openInquiry = () => (id = getStaffAtGateway().openInquiry(reference) ?? '')
    await sendCalls(await collectCalls(openInquiry))
    const [inquiryMail] = await inbox.fetch()
    expect(inquiryMail?.subject).toContain('An inquiry about a payment')
    expect(inquiryMail?.text).toContain(code)
    expect(inquiryMail?.text).toContain('A refund also settles it.')
    expect(inquiryMail?.text).not.toMatch(/disputed|disputes/)
    await sendCalls(await collectCalls(() => getStaffAtGateway().escalate(id)))
    const disputeMails = await inbox.fetch()
    expect(disputeMails.length).toBeGreaterThan(0)
    for (const { subject } of disputeMails) expect(subject).toContain('A payment is disputed')
    const notifications = await setup.runAsSystem((db) =>
      db.selectFrom('notification').select('facts').where('kind', '=', 'payment-dispute').orderBy('id').execute(),
    )
    expect(new Set(notifications.map(({ facts }) => facts['type']))).toEqual(new Set(['inquiry', undefined]))
  })

  test('about a lost dispute do not announce a refund to the card', async () => {
    const { reference } = await setup.payInvoice()
    await inbox.fetch()
    await sendCalls(
      await collectCalls(() => {
        getStaffAtGateway().endDispute(getStaffAtGateway().openDispute(reference) ?? '', 'lost')
      }),
    )
    const [creditNote] = await listDocuments('creditNote')
    const mails = (await inbox.fetch()).filter(({ to }) => to.address.endsWith('@alpha.example'))
    expect(mails.map(({ to }) => to.address)).toContain('order@alpha.example')
    for (const { subject, text, attachments = [] } of mails) {
      expect(subject).toContain('A disputed payment was returned')
      expect(text).toContain('The bank has returned the money to the payer.')
      expect(text).not.toContain('a few days')
      expect(attachments.map(({ name }) => name)).toEqual([`${creditNote?.code}.pdf`])
    }
  })
})
