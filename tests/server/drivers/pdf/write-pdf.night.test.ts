/** Measures the time and the size of a long invoice. Runs at night, because other work on the machine makes it slower. */
import { expect, it } from 'vitest'
import { PdfWriter } from '#server/drivers/pdf/write-pdf.ts'
import { buildInvoice } from '#server/use-cases/documents/build-invoice.ts'
import { createInvoiceContent, createUserSteps } from '#tests/support/documents/invoice-content.ts'

it('makes an invoice of 300 lines in less than 0.5 s and 200 kB', async () => {
  const writer = new PdfWriter()
  const content = createInvoiceContent({ lines: createUserSteps(300) })
  const document = buildInvoice(content, { language: 'zh', timeZone: 'Asia/Hong_Kong' })
  try {
    // The first document starts the thread and reads the fonts.
    const bytes = await writer.write(document, { userId: null })
    const timesMs: number[] = []
    for (let round = 0; round < 5; round++) {
      const startedAt = performance.now()
      await writer.write(document, { userId: null })
      timesMs.push(performance.now() - startedAt)
    }
    const medianMs = timesMs.toSorted((first, second) => first - second)[2]
    expect(bytes.length).toBeLessThan(200_000)
    expect(medianMs, timesMs.join(', ')).toBeLessThan(500)
  } finally {
    await writer.close()
  }
})
