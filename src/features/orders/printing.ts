/** Prints in a tab of their own: asked for when it is wanted, because the address works once and within a minute (D65). */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { requestPrint } from '#contract/payments.ts'
import type { Extra, RootState } from '#state/store.ts'
import { say } from '#ui/texts.ts'
import { showToast } from '#ui/toasts.tsx'
import { tellOf } from '#features/orders/telling.ts'

/**
 * The tab is opened by the very press, or browsers take it for a pop-up; it is led to the document when that is there. Where no
 * tab was to be had, a message has the way to it.
 */
export const printContract =
  (contractId: number): ThunkAction<Promise<void>, RootState, Extra, UnknownAction> =>
  async (_dispatch, _getState, { api }) => {
    const tab = open('', '_blank')
    const result = await api.ask(requestPrint, { body: { kind: 'contract', id: contractId } })
    if (result.kind !== 'fresh') {
      tab?.close()
      return tellOf(say('orders', 'action.print'), result)
    }
    const { url } = result.output
    if (tab && !tab.closed) return tab.location.replace(url)
    showToast({
      kind: 'note',
      text: say('orders', 'toast.printReady'),
      act: { label: say('orders', 'toast.printOpen'), run: () => void open(url, '_blank', 'noopener') },
    })
  }
