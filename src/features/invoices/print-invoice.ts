import { showResultToast } from '#patterns/action-toast.ts'
import { openPrintedFile, savePrintedFile } from '#patterns/printed-files.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { i18n } from '#ui/i18n/messages.ts'

export const openInvoice =
  (id: number): AppThunk<CallResult<unknown>> =>
  async (dispatch) => {
    const texts = {
      readyText: i18n.t('toast.ready', { ns: 'invoices' }),
      openLabel: i18n.t('detail.open', { ns: 'invoices' }),
    }
    return showFailure('detail.open', await dispatch(openPrintedFile({ kind: 'INVOICE', id }, texts)))
  }

export const downloadInvoice =
  (id: number): AppThunk<CallResult<unknown>> =>
  async (dispatch) =>
    showFailure('detail.download', await dispatch(savePrintedFile({ kind: 'INVOICE', id }, 'invoice.pdf')))

function showFailure(action: 'detail.open' | 'detail.download', result: CallResult<unknown>): CallResult<unknown> {
  if (result.kind !== 'fresh')
    showResultToast(i18n.t(action, { ns: 'invoices' }), result, (texts) =>
      i18n.t('toast.failedWhy', { ns: 'invoices', ...texts }),
    )
  return result
}
