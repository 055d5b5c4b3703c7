import { useNavigate } from 'react-router-dom'
import { type ContractAction, getContractRefusal } from '#domain/contracts.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useReadOnlyReason, useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import type { RowAction } from '#ui/list/column.ts'
import { useTranslation } from 'react-i18next'
import type { OrdersDialogState } from '#features/orders/list/OrdersDialog.tsx'
import { getPayableOrders } from '#features/orders/payment/payable.ts'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'
import { printDocument } from '#features/orders/print/print-document.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'

type OrderAction = RowAction<OverlaidRow<OrderRow>>

/**
 * Returns the actions of each row (M64, D33, D35). A disabled action has a reason. In the list of all companies an order is deleted online
 * only, because the rows of that list do not show writes that wait.
 */
export function useActions(
  onOpenDialog: (dialog: OrdersDialogState) => void,
  orderBlockedReason: string | null,
  isAll: boolean,
) {
  const { t } = useTranslation('orders')
  const { caller } = useSignedInSession()
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const formatDue = useDueFormatter()
  const readOnlyReason = useReadOnlyReason()
  const unsendableReason = useUnsendableReason(t('reason.offline'))
  const removalBlockedReason = isAll || readOnlyReason ? unsendableReason : null
  const getActionReason = (action: ContractAction, { state }: OrderRow) => {
    const reason = getContractRefusal(action, state)
    return reason && t(`reason.${reason}`)
  }
  const formatMatter = ({ dueSubject }: PayableOrder) =>
    t('action.payMatter', { matter: dueSubject ? formatDue(dueSubject) : '' })
  const toPayAction = (row: OrderRow, order: PayableOrder, index: number): OrderAction => ({
    ...(index === 0
      ? { key: 'pay', label: t('action.pay'), directButton: 'words', isOnPhone: true }
      : { key: `pay ${order.contractType} ${order.id}`, label: formatMatter(order) }),
    icon: 'price',
    hasDialog: true,
    getDisabledReason: () => unsendableReason,
    onSelect: () => onOpenDialog({ kind: 'pay', row, order }),
  })

  return ({ row }: OverlaidRow<OrderRow>): OrderAction[] => {
    const isUnsent = typeof row.id !== 'number'
    const payActions = isUnsent ? [] : getPayableOrders(row).map((order, index) => toPayAction(row, order, index))
    const auditTrailPath = buildHistoryPath({ code: 'order', name: row.code, companyId: row.company_id }, caller)
    const otherActions: (OrderAction & { isOffered: boolean })[] = [
      {
        key: 'info',
        label: t('info.item'),
        icon: 'info',
        hasDialog: true,
        isOffered: row.system_status > 0,
        onSelect: () => onOpenDialog({ kind: 'info', row }),
      },
      {
        key: 'print',
        label: t('action.print'),
        icon: 'print',
        isOffered: row.contract_id > 0,
        getDisabledReason: () => unsendableReason ?? getActionReason('print', row),
        onSelect: () => void dispatch(printDocument('contract', row.contract_id)),
      },
      {
        key: 'again',
        label: t('action.again'),
        icon: 'refresh',
        isOffered: row.state === 'expired' || row.state === 'invalid',
        getDisabledReason: () => orderBlockedReason,
        onSelect: () => void navigate(`/app/contract/new?from=${row.id}`),
      },
      {
        key: 'history',
        label: t('action.history'),
        icon: 'history',
        isOffered: auditTrailPath !== null,
        onSelect: () => void navigate(auditTrailPath ?? ''),
      },
      {
        key: 'removePending',
        label: t('action.removePending'),
        icon: 'remove',
        isDestructive: true,
        hasDialog: true,
        isOffered: Boolean(row.pending),
        getDisabledReason: () => unsendableReason,
        onSelect: () => onOpenDialog({ kind: 'remove', target: 'pending', row }),
      },
      {
        key: 'remove',
        label: t('action.remove'),
        icon: 'remove',
        isDestructive: true,
        hasDialog: true,
        isOffered: row.contract_id === 0,
        getDisabledReason: () => removalBlockedReason ?? getActionReason('remove', row),
        onSelect: () => onOpenDialog({ kind: 'remove', target: 'order', row }),
      },
    ]
    return [
      ...payActions.slice(0, 1),
      {
        key: 'manage',
        label: t('action.manage'),
        icon: 'edit',
        ...(payActions.length > 0 || getContractRefusal('open', row.state) ? {} : { directButton: 'words' }),
        getDisabledReason: () => (isUnsent ? t('reason.notSent') : getActionReason('open', row)),
        onSelect: () => void navigate(`/app/contract/${row.id}`),
      },
      ...payActions.slice(1),
      ...otherActions.filter(({ isOffered }) => isOffered),
    ]
  }
}
