import { useNavigate } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { isDeleteLevel } from '#domain/access.ts'
import { getContractRefusal } from '#domain/contracts.ts'
import { useOfflineReason, useReadOnlyReason } from '#patterns/useOfflineReason.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatAmount } from '#ui/display/Amount.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import type { MenuItem } from '#ui/overlay/Menu.tsx'
import type { PageProps } from '#ui/page/Page.tsx'
import type { PageTool } from '#ui/page/PageTools.tsx'
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
 * Returns the actions by state (contracts 4) for the head of the page; a disabled one shows its reason (M97). The primary button pays if an
 * amount is due, otherwise it extends. On a phone it is in a bar at the bottom, and the others are in the menu.
 */
export function useContractActions(props: Props): Pick<PageProps, 'action' | 'tools'> {
  const { isBusy, isEditing, tab, onRefresh, onEdit } = props
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const isNarrow = useNarrow()
  const items = useMenuItems(props)
  const { primaryAction, otherActions } = useMainActions(props)
  if (tab !== 'contract')
    return {
      tools: [
        { key: 'refresh', label: t('act.refresh'), icon: 'refresh', isIconOnly: true, isBusy, onSelect: onRefresh },
      ],
    }
  const cancelButton = <Button onClick={() => onEdit(false)}>{tUi('form.cancel')}</Button>
  const menu: PageTool = { key: 'more', label: t('act.more'), icon: 'more', isIconOnly: true, items }
  if (isEditing)
    // On a phone both are in the line of the title.
    return { action: isNarrow ? <div className="page-tools">{cancelButton}</div> : cancelButton, tools: [menu] }
  if (isNarrow)
    return {
      action: primaryAction && <div className="page-bar">{renderButton(primaryAction, 'primary')}</div>,
      tools: [{ ...menu, items: [...otherActions, ...items] }],
    }
  return {
    action: (
      <>
        {otherActions.map((action) => renderButton(action, 'quiet'))}
        {primaryAction && renderButton(primaryAction, 'primary')}
      </>
    ),
    tools: [menu],
  }
}

const renderButton = (
  { key, icon, label, hasDialog, disabledReason, onSelect }: MenuItem,
  kind: 'primary' | 'quiet',
) => (
  <Button
    key={key}
    {...{ kind, disabledReason }}
    {...(hasDialog ? { 'aria-haspopup': 'dialog' as const } : {})}
    icon={kind === 'quiet' ? icon : undefined}
    onClick={onSelect}
  >
    {label}
  </Button>
)

/** Returns the actions that have a button of their own where there is space. */
function useMainActions({ row, onEdit, onOpen }: Pick<Props, 'row' | 'onEdit' | 'onOpen'>) {
  const { t } = useTranslation('contract')
  const offlineReason = useOfflineReason(t('needsLine'))
  const readOnlyReason = useReadOnlyReason()
  const getDisabledReason = (action: 'change' | 'extend') => {
    if (readOnlyReason) return readOnlyReason
    const reason = getContractRefusal(action, row.state)
    return reason && t(`whyNot.${reason}`)
  }
  const payableOrder = findPayableOrder(row)
  const modifyAction: MenuItem = {
    key: 'modify',
    label: t('act.modify'),
    icon: 'edit',
    disabledReason: getDisabledReason('change'),
    onSelect: () => onEdit(true),
  }
  const extendAction: MenuItem = {
    key: 'extend',
    label: t('act.extend'),
    icon: 'calendar',
    hasDialog: true,
    disabledReason: getDisabledReason('extend'),
    onSelect: () => onOpen({ kind: 'extend' }),
  }
  const payAction: MenuItem | null = payableOrder && {
    key: 'pay',
    label: t('act.pay', { amount: formatAmount(row.currency, payableOrder.pay_amount ?? '0.00') }),
    hasDialog: true,
    disabledReason: offlineReason,
    onSelect: () => onOpen({ kind: 'pay', order: payableOrder }),
  }
  const canExtend = row.contract_id > 0
  return {
    primaryAction: payAction ?? (canExtend ? extendAction : null),
    otherActions: [
      ...(isCurrentContract(row) ? [modifyAction] : []),
      ...(canExtend && payAction ? [extendAction] : []),
    ],
  }
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
  const readOnlyReason = useReadOnlyReason()
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
      hasDialog: true,
      isOffered: row.system_status > 0 && !isEditing,
      onSelect: () => onOpen({ kind: 'info' }),
    },
    {
      // Reminder dates can be set only for orders of the provider's own client type (M105).
      key: 'alert',
      label: t('act.alert'),
      icon: 'mail',
      hasDialog: true,
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
      hasDialog: true,
      isOffered: row.state === 'unpaid' && !isEditing,
      disabledReason: readOnlyReason,
      onSelect: () => onOpen({ kind: 'remove', target: 'order' }),
    },
  ]
  return items.filter(({ isOffered }) => isOffered)
}
