/** Opens and downloads invoices. The address is requested when it is needed: it works once and expires after a minute (D65). */
import type { InvoiceRow } from '#contract/invoices.ts'
import { openPrint, requestPrint } from '#contract/payments.ts'
import { showResultToast } from '#patterns/action-toast.ts'
import type { CallResult, DownloadedFile } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { downloadBytes } from '#ui/display/download-text.ts'
import { getLanguage, i18n } from '#ui/i18n/messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'

type PrintedDocument = Pick<InvoiceRow, 'id' | 'kind'>

const openLabels = { invoice: 'detail.open', creditNote: 'detail.openCreditNote' } as const
const readyTexts = { invoice: 'toast.ready', creditNote: 'toast.creditNoteReady' } as const

/** Opens the tab in the click handler: browsers block tabs that open later. A blocked tab leads to a toast. */
export const openInvoice =
  ({ id, kind }: PrintedDocument): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const tab = open('', '_blank')
    const body = { kind: 'INVOICE', id, format: 'html', language: getLanguage() } as const
    const result = await api.call(requestPrint, { body })
    if (result.kind !== 'fresh') {
      tab?.close()
      return showFailure(openLabels[kind], result)
    }
    const { url } = result.output
    if (tab && !tab.closed) {
      tab.location.replace(url)
      return result
    }
    showToast({
      kind: 'note',
      text: i18n.t(readyTexts[kind], { ns: 'invoices' }),
      action: {
        label: i18n.t(openLabels[kind], { ns: 'invoices' }),
        onRun: () => void open(url, '_blank', 'noopener'),
      },
    })
    return result
  }

/** Saves the PDF when all of it has arrived, so that a refusal becomes a toast. */
export const downloadInvoice =
  ({ id }: Pick<PrintedDocument, 'id'>): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const body = { kind: 'INVOICE', id, format: 'pdf', language: getLanguage() } as const
    const result = await api.call(requestPrint, { body })
    if (result.kind !== 'fresh') return showFailure('detail.download', result)
    const key = result.output.url.slice(result.output.url.lastIndexOf('/') + 1)
    const fileResult = (await api.call(openPrint, { params: { key } })) as CallResult<DownloadedFile>
    if (fileResult.kind !== 'fresh') return showFailure('detail.download', fileResult)
    const { bytes, name } = fileResult.output
    downloadBytes(bytes, name ?? 'invoice.pdf')
    return fileResult
  }

type PrintAction = (typeof openLabels)[keyof typeof openLabels] | 'detail.download'

function showFailure(action: PrintAction, result: CallResult<unknown>): CallResult<unknown> {
  showResultToast(i18n.t(action, { ns: 'invoices' }), result, (texts) =>
    i18n.t('toast.failedWhy', { ns: 'invoices', ...texts }),
  )
  return result
}
