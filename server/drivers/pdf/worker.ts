/** Runs in a worker thread: makes one PDF per message. */
import { parentPort } from 'node:worker_threads'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import { renderPdf } from '#server/drivers/pdf/render-pdf.ts'

/** The file, or why it could not be made. */
export type PdfAnswer = { bytes: Uint8Array } | { failure: string }

const makePdf = (document: IssuedDocument): Promise<PdfAnswer> =>
  renderPdf(document).then(
    (bytes) => ({ bytes }),
    (error: unknown) => ({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )

parentPort?.on('message', (document: IssuedDocument) => {
  void makePdf(document).then((answer) => parentPort?.postMessage(answer))
})
