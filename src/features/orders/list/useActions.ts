import { useNavigate } from 'react-router-dom'
import { type ContractAction, getContractRefusal } from '#domain/contracts.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import type { RowAction } from '#ui/list/column.ts'
import { useTranslation } from 'react-i18next'
import { getPayableOrders } from '#features/orders/payment/payable.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'

interface ActionHandlers {
  onPay: (row: OrderRow, order: PayableOrder) => void
  onInfo: (row: OrderRow) => void
  onPrint: (row: OrderRow) => void
  onOpen: (row: OrderRow) => void
  onAgain: (row: OrderRow) => void
  onRemove: (row: OrderRow, target: 'order' | 'pending') => void
  orderBlockedReason: string | null
}

/** What may be done on each row (M64, D33, D35); what may not says why. */
export function useActions({ onPay, onInfo, onOpen, onPrint, onAgain, onRemove, orderBlockedReason }: ActionHandlers) {
  const { t } = useTranslation('orders')
  const { t: tUi } = useTranslation('ui')
  const { networkState: connection, isSessionExpired } = useConnection()
  const { caller } = useSignedInSession()
  const navigate = useNavigate()
  const formatDue = useDueFormatter()
  const onlineOnlyReason = isSessionExpired ? tUi('form.lapsed') : connection === 'online' ? null : t('reason.offline')
  const getActionReason = (action: ContractAction, { state }: OrderRow) => {
    const reason = getContractRefusal(action, state)
    return reason && t(`reason.${reason}`)
  }

  return ({ row }: OverlaidRow<OrderRow>): RowAction<OverlaidRow<OrderRow>>[] => {
    const isUnsent = typeof row.id !== 'number'
    const [payableOrder, ...otherPayableOrders] = isUnsent ? [] : getPayableOrders(row)
    const actions: RowAction<OverlaidRow<OrderRow>>[] = [
      {
        key: 'manage',
        label: t('action.manage'),
        icon: 'edit',
        ...(payableOrder ? {} : { directButton: 'words' }),
        getDisabledReason: () => (isUnsent ? t('reason.notSent') : getActionReason('open', row)),
        onSelect: () => onOpen(row),
      },
    ]
    if (payableOrder)
      actions.unshift({
        key: 'pay',
        label: t('action.pay'),
        icon: 'price',
        directButton: 'words',
        getDisabledReason: () => onlineOnlyReason,
        onSelect: () => onPay(row, payableOrder),
      })
    for (const payableOrder of otherPayableOrders)
      actions.push({
        key: `pay ${payableOrder.contractType} ${payableOrder.id}`,
        label: t('action.payMatter', { matter: payableOrder.dueSubject ? formatDue(payableOrder.dueSubject) : '' }),
        icon: 'price',
        getDisabledReason: () => onlineOnlyReason,
        onSelect: () => onPay(row, payableOrder),
      })
    if (row.system_status > 0)
      actions.push({ key: 'info', label: t('info.item'), icon: 'info', onSelect: () => onInfo(row) })
    if (row.contract_id > 0)
      actions.push({
        key: 'print',
        label: t('action.print'),
        icon: 'print',
        getDisabledReason: () => onlineOnlyReason ?? getActionReason('print', row),
        onSelect: () => onPrint(row),
      })
    if (row.state === 'expired' || row.state === 'invalid')
      actions.push({
        key: 'again',
        label: t('action.again'),
        icon: 'refresh',
        getDisabledReason: () => orderBlockedReason,
        onSelect: () => onAgain(row),
      })
    const auditTrailPath = buildHistoryPath({ code: 'order', name: row.code, companyId: row.company_id }, caller)
    if (auditTrailPath !== null)
      actions.push({
        key: 'history',
        label: t('action.history'),
        icon: 'history',
        onSelect: () => void navigate(auditTrailPath),
      })
    if (row.pending)
      actions.push({
        key: 'removePending',
        label: t('action.removePending'),
        icon: 'remove',
        isDestructive: true,
        getDisabledReason: () => onlineOnlyReason,
        onSelect: () => onRemove(row, 'pending'),
      })
    if (row.contract_id === 0)
      actions.push({
        key: 'remove',
        label: t('action.remove'),
        icon: 'remove',
        isDestructive: true,
        getDisabledReason: () => (isSessionExpired ? tUi('form.lapsed') : getActionReason('remove', row)),
        onSelect: () => onRemove(row, 'order'),
      })
    return actions
  }
}
