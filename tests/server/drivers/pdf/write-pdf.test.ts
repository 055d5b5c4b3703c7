import { afterEach, describe, expect, it } from 'vitest'
import { PdfError, type PdfLimits, PdfWriter } from '#server/drivers/pdf/write-pdf.ts'
import { buildInvoice } from '#server/use-cases/documents/build-invoice.ts'
import { createInvoiceContent, createUserSteps } from '#tests/support/documents/invoice-content.ts'
import { readPdf } from '#tests/support/documents/read-pdf.ts'

const createDocument = (lineCount = 3) =>
  buildInvoice(createInvoiceContent({ lines: createUserSteps(lineCount) }), { language: 'en', timeZone: 'UTC' })

describe('PDFs made in a worker thread', () => {
  let writer: PdfWriter
  const createWriter = (limits: Partial<PdfLimits> = {}) => (writer = new PdfWriter(limits))
  const write = (document = createDocument(), userId: number | null = null) => writer.write(document, { userId })
  afterEach(() => writer.close())

  it('are made one after the other, also after the thread has ended', async () => {
    createWriter()
    const files = await Promise.all([write(), write(createDocument(100))])
    const contents = await Promise.all(files.map(readPdf))
    expect(contents.map(({ pages }) => pages.length)).toEqual([1, 4])
    await writer.close()
    expect((await write()).equals(files[0] as Buffer)).toBe(true)
  })

  it('leave the server free to do other work', async () => {
    createWriter()
    let turnCount = 0
    let isDone = false
    const countTurn = () => {
      turnCount += 1
      if (!isDone) setImmediate(countTurn)
    }
    setImmediate(countTurn)
    await write(createDocument(300))
    isDone = true
    // The event loop had many turns while the document was made.
    expect(turnCount).toBeGreaterThan(10)
  })

  it('are refused with a time if too many wait, and made again when there is room (UNAVAILABLE)', async () => {
    createWriter({ documents: 2 })
    const waiting = [write(createDocument(), 1), write(createDocument(), 2)]
    await expect(write(createDocument(), 3)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 })
    await Promise.all(waiting)
    await expect(write(createDocument(), 3)).resolves.toBeInstanceOf(Buffer)
  })

  it('are refused for a user who waits for two already, not for others (UNAVAILABLE)', async () => {
    createWriter()
    const waiting = [write(createDocument(), 1), write(createDocument(), 1), write(createDocument(), 2)]
    await expect(write(createDocument(), 1)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 })
    await Promise.all(waiting)
    await expect(write(createDocument(), 1)).resolves.toBeInstanceOf(Buffer)
  })

  it('are made for mails however many downloads wait, and take none of their places', async () => {
    createWriter({ documents: 1 })
    const mails = [write(), write()]
    const download = write(createDocument(), 1)
    await expect(write(createDocument(), 2)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const files = await Promise.all([...mails, download, write()])
    expect(files.every((file) => file.length > 0)).toBe(true)
  })

  it('fail if they take too long, and the next one gets a new thread', async () => {
    createWriter({ wallMs: 1 })
    await expect(write()).rejects.toBeInstanceOf(PdfError)
    await expect(write()).rejects.toBeInstanceOf(PdfError)
  })

  it('fail if they take too much memory, without an effect on the server', async () => {
    createWriter({ heapMb: 16 })
    await expect(write(createDocument(5000))).rejects.toBeInstanceOf(PdfError)
  })

  it('fail if the document is damaged, and the next one is made', async () => {
    createWriter()
    await expect(write({ ...createDocument(), issued: 'never' })).rejects.toBeInstanceOf(PdfError)
    await expect(write()).resolves.toBeInstanceOf(Buffer)
  })
})
