import { showResultToast } from '#patterns/action-toast.ts'
import { openPrintedFile, savePrintedFile } from '#patterns/printed-files.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { i18n } from '#ui/i18n/messages.ts'

const getText = (key: 'transfer.open' | 'transfer.download' | 'transfer.ready') => i18n.t(key, { ns: 'payment' })

export const openProforma =
  (id: number): AppThunk<CallResult<unknown>> =>
  async (dispatch) => {
    const texts = { readyText: getText('transfer.ready'), openLabel: getText('transfer.open') }
    return showFailure('transfer.open', await dispatch(openPrintedFile({ kind: 'PROFORMA', id }, texts)))
  }

export const downloadProforma =
  ({ id, code }: { id: number; code: string }): AppThunk<CallResult<unknown>> =>
  async (dispatch) =>
    showFailure('transfer.download', await dispatch(savePrintedFile({ kind: 'PROFORMA', id }, `${code}.pdf`)))

function showFailure(action: 'transfer.open' | 'transfer.download', result: CallResult<unknown>): CallResult<unknown> {
  if (result.kind !== 'fresh')
    showResultToast(getText(action), result, (texts) => i18n.t('transfer.failedWhy', { ns: 'payment', ...texts }))
  return result
}
