import { expect, test } from 'vitest'
import { renderPdf } from '#server/drivers/pdf/render-pdf.ts'
import { buildCreditNote } from '#server/use-cases/documents/build-credit-note.ts'
import { createParty } from '#tests/support/documents/invoice-content.ts'
import { readPdf } from '#tests/support/documents/read-pdf.ts'

const content = {
  credit_note_no: 'CN202612000001',
  issued: '2026-12-02 09:00:00',
  seller: createParty({ tax_number: null }),
  buyer: createParty({ code: 'acme', name: 'Acme Ltd' }),
  invoice_no: 'I202611000001',
  invoice_issued: '2026-11-30 12:00:00',
  service: { code: 'acme-01', name: 'Head office' },
  time_zone: 'Asia/Shanghai',
  po_number: 'PO-1',
  contract: 'C202611000001',
  backup: {
    pdb_type: 'pdb2s3' as const,
    period_start: '2026-12-01',
    period_end: '2027-12-01',
    annual: '1500.00',
    discount: '0.00',
  },
  cause: 'staff' as const,
  reason: 'Ordered twice',
  currency: 'RMB' as const,
  amount: '1409.50',
  refund: { route: 'transfer' as const, method: 'transfer', reference: null, time: '2026-12-02' },
}

test('A credit note names the credited invoice, the reason and the amount, and leaves out what it does not have', () => {
  const document = buildCreditNote(content, { language: 'en' })
  expect(document.sections[0]?.facts).toEqual([
    ['Credit note number', 'CN202612000001'],
    ['Credit note issued on', '2026-12-02 09:00:00'],
    ['Credited invoice', 'I202611000001'],
    ['Invoice issued on', '2026-11-30 12:00:00'],
    ['Purchase order', 'PO-1'],
    ['Reason', 'Ordered twice'],
    ['Refunded on', '2026-12-02'],
    ['Refunded by', 'Bank transfer'],
  ])
  expect(document.sections[1]?.facts).toEqual([
    ['Service code', 'acme-01'],
    ['Name', 'Head office'],
    ['Contract number', 'C202611000001'],
    ['Backup', 'Database to file storage (pdb2s3)'],
    ['Period', '2026-12-01 to 2027-11-30'],
    ['Annual fee', 'RMB 1,500.00'],
  ])
  expect(document.notes).toEqual(['All dates and times are in the time zone Asia/Shanghai.'])
  expect(document.totals.map(({ value }) => value)).toEqual(['RMB 1,409.50', '壹仟肆佰零玖元伍角整'])
  expect(document.parties.map(({ facts }) => facts.some(([label]) => label === 'Tax number'))).toEqual([false, true])
})

test.each([
  ['gateway', 'en', 'Refund made at the payment provider'],
  ['dispute', 'zh', '争议败诉'],
] as const)('A credit note has the cause %s in the language of its reader (%s)', (cause, language, text) => {
  const document = buildCreditNote({ ...content, cause, reason: null }, { language })
  expect(document.sections[0]?.facts.map(([, value]) => value)).toContain(text)
})

test('A credit note has a PDF without a table', async () => {
  const document = buildCreditNote(content, { language: 'en' })
  const { pages } = await readPdf(await renderPdf(document))
  expect(pages).toHaveLength(1)
  expect(pages[0]?.lines).toContain('Total RMB 1,409.50')
  expect(pages[0]?.lines.at(-1)).toBe('Credit note CN202612000001 · 示例软件（上海）有限公司 1 / 1')
})
