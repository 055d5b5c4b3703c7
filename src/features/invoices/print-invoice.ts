import type { InvoiceRow } from '#contract/invoices.ts'
import { showResultToast } from '#patterns/action-toast.ts'
import { openPrintedFile, savePrintedFile } from '#patterns/printed-files.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { i18n } from '#ui/i18n/messages.ts'

type PrintedDocument = Pick<InvoiceRow, 'id' | 'kind'>

const openLabels = { invoice: 'detail.open', creditNote: 'detail.openCreditNote' } as const
const readyTexts = { invoice: 'toast.ready', creditNote: 'toast.creditNoteReady' } as const

export const openInvoice =
  ({ id, kind }: PrintedDocument): AppThunk<CallResult<unknown>> =>
  async (dispatch) => {
    const texts = {
      readyText: i18n.t(readyTexts[kind], { ns: 'invoices' }),
      openLabel: i18n.t(openLabels[kind], { ns: 'invoices' }),
    }
    return showFailure(openLabels[kind], await dispatch(openPrintedFile({ kind: 'INVOICE', id }, texts)))
  }

export const downloadInvoice =
  ({ id }: PrintedDocument): AppThunk<CallResult<unknown>> =>
  async (dispatch) =>
    showFailure('detail.download', await dispatch(savePrintedFile({ kind: 'INVOICE', id }, 'invoice.pdf')))

type PrintAction = (typeof openLabels)[keyof typeof openLabels] | 'detail.download'

function showFailure(action: PrintAction, result: CallResult<unknown>): CallResult<unknown> {
  if (result.kind !== 'fresh')
    showResultToast(i18n.t(action, { ns: 'invoices' }), result, (texts) =>
      i18n.t('toast.failedWhy', { ns: 'invoices', ...texts }),
    )
  return result
}
