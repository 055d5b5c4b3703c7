import { useNavigate } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { isDeleteLevel } from '#domain/access.ts'
import { getContractRefusal } from '#domain/contracts.ts'
import { groupThousands } from '#domain/money.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { Button } from '#ui/display/Button.tsx'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'
import { isCurrentContract } from '#features/orders/detail/current-contract.ts'
import type { ContractTab } from '#features/orders/detail/ContractTabs.tsx'
import { findPayableOrder } from '#features/orders/payment/payable.ts'
import type { ContractDialog } from '#features/orders/dialogs/Dialogs.tsx'
import { printDocument } from '#features/orders/print/print-document.ts'

interface Props {
  row: OrderRow
  isBusy: boolean
  isEditing: boolean
  /** Selected tab of the page. Null until it can be determined. */
  tab: ContractTab | null
  onRefresh: () => void
  /** Called with false to cancel the form without changes. */
  onEdit: (isOn: boolean) => void
  onOpen: (dialog: ContractDialog) => void
}

/**
 * Actions by state (contracts 4); a disabled one shows its reason (M97). The primary button pays if an amount is due, otherwise it extends.
 */
export function ContractActions({ row, isBusy, isEditing, tab, onRefresh, onEdit, onOpen }: Props) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const items = useMenuItems({ row, isEditing, onRefresh, onOpen })
  if (tab !== 'contract')
    return (
      <Button isIconOnly icon="refresh" isBusy={isBusy} onClick={onRefresh}>
        {t('act.refresh')}
      </Button>
    )
  return (
    <>
      <Menu label={t('act.more')} items={items} kind="quiet" />
      {isEditing ? (
        <Button onClick={() => onEdit(false)}>{tUi('form.cancel')}</Button>
      ) : (
        <ContractButtons {...{ row, onEdit, onOpen }} />
      )}
    </>
  )
}

function ContractButtons({ row, onEdit, onOpen }: Pick<Props, 'row' | 'onEdit' | 'onOpen'>) {
  const { t } = useTranslation('contract')
  const offlineReason = useOfflineReason(t('needsLine'))
  const getDisabledReason = (action: 'change' | 'extend') => {
    const reason = getContractRefusal(action, row.state)
    return reason && t(`whyNot.${reason}`)
  }
  const payableOrder = findPayableOrder(row)
  return (
    <>
      {isCurrentContract(row) && (
        <Button icon="edit" disabledReason={getDisabledReason('change')} onClick={() => onEdit(true)}>
          {t('act.modify')}
        </Button>
      )}
      {row.contract_id > 0 && (
        <Button
          kind={payableOrder ? 'quiet' : 'primary'}
          disabledReason={getDisabledReason('extend')}
          onClick={() => onOpen({ kind: 'extend' })}
        >
          {t('act.extend')}
        </Button>
      )}
      {payableOrder && (
        <Button
          kind="primary"
          disabledReason={offlineReason}
          onClick={() => onOpen({ kind: 'pay', order: payableOrder })}
        >
          {t('act.pay', { amount: `${row.currency} ${groupThousands(payableOrder.pay_amount ?? '0.00')}` })}
        </Button>
      )}
    </>
  )
}

/** Returns the rarely used actions. While the contract is being edited, they are only refresh and print. */
function useMenuItems({
  row,
  isEditing,
  onRefresh,
  onOpen,
}: Pick<Props, 'row' | 'isEditing' | 'onRefresh' | 'onOpen'>) {
  const { t } = useTranslation('contract')
  const { caller } = useSignedInSession()
  const offlineReason = useOfflineReason(t('needsLine'))
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const auditTrailPath = buildHistoryPath({ code: 'order', name: row.code, companyId: row.company_id }, caller)
  const items: (MenuItem & { isOffered: boolean })[] = [
    { key: 'refresh', label: t('act.refresh'), icon: 'refresh', isOffered: true, onSelect: onRefresh },
    {
      key: 'print',
      label: t('act.print'),
      icon: 'print',
      isOffered: row.contract_id > 0,
      disabledReason: offlineReason,
      onSelect: () => void dispatch(printDocument('contract', row.contract_id)),
    },
    {
      key: 'info',
      label: t('act.info'),
      icon: 'service',
      isOffered: row.system_status > 0 && !isEditing,
      onSelect: () => onOpen({ kind: 'info' }),
    },
    {
      // Reminder dates can be set only for orders of the provider's own client type (M105).
      key: 'alert',
      label: t('act.alert'),
      icon: 'mail',
      isOffered: isDeleteLevel(caller) && row.client_type === 'mma' && !isEditing,
      onSelect: () => onOpen({ kind: 'alert' }),
    },
    {
      key: 'history',
      label: t('act.history'),
      icon: 'history',
      isOffered: auditTrailPath !== null && !isEditing,
      onSelect: () => auditTrailPath !== null && void navigate(auditTrailPath),
    },
    {
      key: 'remove',
      label: t('act.remove'),
      icon: 'remove',
      isDestructive: true,
      isOffered: row.state === 'unpaid' && !isEditing,
      onSelect: () => onOpen({ kind: 'remove', target: 'order' }),
    },
  ]
  return items.filter(({ isOffered }) => isOffered)
}
