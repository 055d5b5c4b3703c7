import { useNavigate } from 'react-router-dom'
import { type ContractMove, whyNotContract } from '#domain/contracts.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useSignedIn } from '#state/hooks.ts'
import { historyPath } from '#ui/links/history-path.ts'
import type { RowAction } from '#ui/list/column.ts'
import { useTranslation } from 'react-i18next'
import { payablesOf } from '#features/orders/payment/payable.ts'
import { useDueText } from '#features/orders/useDueText.ts'
import type { Payable } from '#features/orders/payment/payment-api.ts'

interface Ways {
  onPay: (row: OrderRow, order: Payable) => void
  onInfo: (row: OrderRow) => void
  onPrint: (row: OrderRow) => void
  onOpen: (row: OrderRow) => void
  onAgain: (row: OrderRow) => void
  onRemove: (row: OrderRow, what: 'order' | 'pending') => void
  whyNoOrder: string | null
}

/** What may be done on each row (M64, D33, D35); what may not says why. */
export function useActions({ onPay, onInfo, onOpen, onPrint, onAgain, onRemove, whyNoOrder }: Ways) {
  const { t } = useTranslation('orders')
  const { t: words } = useTranslation('ui')
  const { line, lapsed } = useConnection()
  const { caller } = useSignedIn()
  const navigate = useNavigate()
  const dueText = useDueText()
  const atOnce = lapsed ? words('form.lapsed') : line === 'online' ? null : t('reason.offline')
  const notAllowed = (move: ContractMove, { state }: OrderRow) => {
    const why = whyNotContract(move, state)
    return why && t(`reason.${why}`)
  }

  return ({ row }: OverlaidRow<OrderRow>): RowAction<OverlaidRow<OrderRow>>[] => {
    const isMadeHere = typeof row.id !== 'number'
    const [payable, ...furtherPayables] = isMadeHere ? [] : payablesOf(row)
    const actions: RowAction<OverlaidRow<OrderRow>>[] = [
      {
        key: 'manage',
        label: t('action.manage'),
        icon: 'edit',
        ...(payable ? {} : { own: 'words' }),
        whyNot: () => (isMadeHere ? t('reason.notSent') : notAllowed('open', row)),
        onSelect: () => onOpen(row),
      },
    ]
    if (payable)
      actions.unshift({
        key: 'pay',
        label: t('action.pay'),
        icon: 'price',
        own: 'words',
        whyNot: () => atOnce,
        onSelect: () => onPay(row, payable),
      })
    for (const further of furtherPayables)
      actions.push({
        key: `pay ${further.contractType} ${further.id}`,
        label: t('action.payMatter', { matter: further.matter ? dueText(further.matter) : '' }),
        icon: 'price',
        whyNot: () => atOnce,
        onSelect: () => onPay(row, further),
      })
    if (row.system_status > 0)
      actions.push({ key: 'info', label: t('info.item'), icon: 'info', onSelect: () => onInfo(row) })
    if (row.contract_id > 0)
      actions.push({
        key: 'print',
        label: t('action.print'),
        icon: 'print',
        whyNot: () => atOnce ?? notAllowed('print', row),
        onSelect: () => onPrint(row),
      })
    if (row.state === 'expired' || row.state === 'invalid')
      actions.push({
        key: 'again',
        label: t('action.again'),
        icon: 'refresh',
        whyNot: () => whyNoOrder,
        onSelect: () => onAgain(row),
      })
    const history = historyPath({ code: 'order', name: row.code, companyId: row.company_id }, caller)
    if (history !== null)
      actions.push({
        key: 'history',
        label: t('action.history'),
        icon: 'history',
        onSelect: () => void navigate(history),
      })
    if (row.pending)
      actions.push({
        key: 'removePending',
        label: t('action.removePending'),
        icon: 'remove',
        danger: true,
        whyNot: () => atOnce,
        onSelect: () => onRemove(row, 'pending'),
      })
    if (row.contract_id === 0)
      actions.push({
        key: 'remove',
        label: t('action.remove'),
        icon: 'remove',
        danger: true,
        whyNot: () => (lapsed ? words('form.lapsed') : notAllowed('remove', row)),
        onSelect: () => onRemove(row, 'order'),
      })
    return actions
  }
}
