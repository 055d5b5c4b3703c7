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
  reason: 'Ordered twice',
  currency: 'RMB' as const,
  amount: '1409.50',
  refund: { method: 'transfer', reference: null, time: '2026-12-02 08:59:00' },
}

test('A credit note names the credited invoice, the reason and the amount, and leaves out what it does not have', () => {
  const document = buildCreditNote(content, { language: 'en', timeZone: 'UTC' })
  expect(document.sections[0]?.facts).toEqual([
    ['Credit note number', 'CN202612000001'],
    ['Credit note issued on', '2026-12-02 09:00:00'],
    ['Credited invoice', 'I202611000001'],
    ['Invoice issued on', '2026-11-30 12:00:00'],
    ['Reason', 'Ordered twice'],
    ['Refunded on', '2026-12-02 08:59:00'],
    ['Refunded by', 'Bank transfer'],
  ])
  expect(document.totals.map(({ value }) => value)).toEqual(['RMB 1,409.50', '壹仟肆佰零玖元伍角整'])
  expect(document.parties.map(({ facts }) => facts.some(([label]) => label === 'Tax number'))).toEqual([false, true])
})

test('A credit note has a PDF without a table', async () => {
  const document = buildCreditNote(content, { language: 'en', timeZone: 'UTC' })
  const { pages } = await readPdf(await renderPdf(document))
  expect(pages).toHaveLength(1)
  expect(pages[0]?.lines).toContain('Total RMB 1,409.50')
  expect(pages[0]?.lines.at(-1)).toBe('Credit note CN202612000001 · 示例软件（上海）有限公司 1 / 1')
})
