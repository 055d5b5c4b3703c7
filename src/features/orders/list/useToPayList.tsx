import { lazy, Suspense } from 'react'
import { useLocation } from 'react-router-dom'
import type { ClientType } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { OfflineNote } from '#ui/display/OfflineNote.tsx'
import type { RowAction } from '#ui/list/column.ts'
import { useTranslation } from 'react-i18next'
import type { useOrdersList } from '#features/orders/list/useOrdersList.ts'
import type { OrdersDialogState } from '#features/orders/list/OrdersDialog.tsx'
import { type DueItem, formatDueName, getDuePath } from '#features/orders/dues/due-items.ts'
import { toPayableOrder } from '#features/orders/payment/payable.ts'
import { toPayableGroup } from '#features/orders/dues/due-groups.ts'
import { useReturnedNames } from '#features/orders/dues/returned-items.ts'
import { useDueSelection } from '#features/orders/list/useDueSelection.tsx'
import { useDueItems } from '#features/orders/dues/useDueItems.ts'
import { buildToPayColumns } from '#features/orders/list/to-pay-columns.tsx'
import { usePayOfflineText } from '#features/orders/usePayOfflineText.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'

const ReturnedPayment = lazy(async () => ({
  default: (await import('#features/orders/list/ReturnedPayment.tsx')).ReturnedPayment,
}))

interface ToPayListOptions {
  companyId: number
  type: ClientType
  today: PlainDate | null
  undated: ReturnType<typeof useOrdersList>['undated']
  /** The list of the page, whose view is in the address. */
  pageList: Pick<ReturnType<typeof useOrdersList>['list'], 'definition' | 'view' | 'changeView'>
  onOpenDialog: (dialog: OrdersDialogState) => void
  skip: boolean
}

/** Returns the properties of the page's list that are special to the tab "To pay". */
export function useToPayList({ onOpenDialog, pageList, undated, skip, ...options }: ToPayListOptions) {
  const { t } = useTranslation('orders')
  const formatDue = useDueFormatter()
  const unsendableReason = useUnsendableReason(t('reason.offline'))
  const { items, list } = useDueItems({ ...options, searchText: pageList.view.searchText, skip })
  const count = items?.length ?? 0
  const payOfflineText = usePayOfflineText(count > 0)
  const isReturned = new URLSearchParams(useLocation().search).has('payment')
  const getRowName = ({ due, name }: DueItem) => formatDue(due, name)
  const selection = useDueSelection({
    items,
    listKey: `${options.companyId} ${options.type} ${pageList.view.searchText}`,
    initialNames: useReturnedNames(),
    getItemName: getRowName,
    onPay: (group) => onOpenDialog({ kind: 'pay', row: group[0].row, order: toPayableGroup(group) }),
  })
  const getActions = (item: DueItem): RowAction<DueItem>[] => [
    {
      key: 'pay',
      label: t('action.pay'),
      icon: 'price',
      directButton: 'words',
      isOnPhone: true,
      getDisabledReason: () => unsendableReason,
      onSelect: () => onOpenDialog({ kind: 'pay', row: item.row, order: toPayableOrder(item.due, item.row) }),
    },
  ]
  return {
    list: {
      ...list,
      ...pageList,
      // All items are on one page.
      view: { ...pageList.view, page: 1 },
      isGrowing: true,
      rows: items,
      count,
      refresh: list.refetch,
      ...undated,
    },
    caption: t('toPay.caption'),
    formatCount: (numbers: { count: number; number: string }) => t('toPay.counted', numbers),
    columns: buildToPayColumns(t, formatDue),
    getRowKey: ({ due }: DueItem) => formatDueName(due),
    getRowName,
    getRowPath: getDuePath,
    actions: getActions,
    expectedActions: 'lone' as const,
    selection,
    beforeList: (
      <>
        {isReturned && (
          <Suspense fallback={null}>
            <ReturnedPayment onSettled={list.refetch} />
          </Suspense>
        )}
        {payOfflineText !== null && <OfflineNote text={payOfflineText} />}
      </>
    ),
    none: (
      <EmptyState icon="check" title={t('toPay.none')}>
        {t('toPay.noneText')}
      </EmptyState>
    ),
  }
}
