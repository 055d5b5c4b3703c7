/** Runs in a worker thread: makes one PDF per message. */
import { parentPort } from 'node:worker_threads'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import { renderPdf } from '#server/drivers/pdf/render-pdf.ts'

parentPort?.on('message', (document: IssuedDocument) => {
  // A rejection ends the thread, and the server reports it.
  void renderPdf(document).then((bytes) => parentPort?.postMessage(bytes))
})
