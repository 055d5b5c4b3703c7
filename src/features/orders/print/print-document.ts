/** Opens print documents. The address is requested when it is needed: it works once and expires after a minute (D65). */
import type { InputOf } from '#contract/endpoint.ts'
import { requestPrint } from '#contract/payments.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { i18n, getLanguage } from '#ui/i18n/messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { showOrderToast } from '#features/orders/order-toast.ts'

/** A contract, a backup subscription or a month of traffic (portal 7). */
export type PrintKind = InputOf<typeof requestPrint>['body']['kind']

/** Opens the tab in the click handler: browsers block tabs that open later. A blocked tab leads to a toast. */
export const printDocument =
  (kind: PrintKind, id: number): AppThunk<void> =>
  async (_dispatch, _getState, { api }) => {
    const tab = open('', '_blank')
    const result = await api.call(requestPrint, { body: { kind, id, language: getLanguage() } })
    if (result.kind !== 'fresh') {
      tab?.close()
      return showOrderToast(i18n.t('action.print', { ns: 'orders' }), result)
    }
    const { url } = result.output
    if (tab && !tab.closed) return tab.location.replace(url)
    showToast({
      kind: 'note',
      text: i18n.t('toast.printReady', { ns: 'orders' }),
      action: { label: i18n.t('toast.printOpen', { ns: 'orders' }), onRun: () => void open(url, '_blank', 'noopener') },
    })
  }
