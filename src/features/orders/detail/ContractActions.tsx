import { useNavigate } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { isDeleteLevel } from '#domain/access.ts'
import { whyNotContract } from '#domain/contracts.ts'
import { grouped } from '#domain/money.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { historyPath } from '#ui/links/history-path.ts'
import { Button } from '#ui/display/Button.tsx'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'
import type { Tab } from '#features/orders/detail/ContractTabs.tsx'
import { payableOf } from '#features/orders/payment/payable.ts'
import type { Dialog } from '#features/orders/dialogs/Dialogs.tsx'
import { printDocument } from '#features/orders/print/print-document.ts'

interface Props {
  row: OrderRow
  busy: boolean
  editing: boolean
  /** Of the page; null: not known yet. */
  tab: Tab | null
  onRefresh: () => void
  /** False: leaves the form as it was. */
  onEdit: (is: boolean) => void
  onOpen: (dialog: Dialog) => void
}

/**
 * What can be done with it now, by the moves of contracts 4; what cannot says why (M97). One is the primary: to pay what is due,
 * else to extend.
 */
export function Acts({ row, busy, editing, tab, onRefresh, onEdit, onOpen }: Props) {
  const { t } = useTranslation('contract')
  const { t: ui } = useTranslation('ui')
  const items = useItems({ row, editing, onRefresh, onOpen })
  if (tab !== 'contract')
    return (
      <Button bare icon="refresh" busy={busy} onClick={onRefresh}>
        {t('act.refresh')}
      </Button>
    )
  return (
    <>
      <Menu label={t('act.more')} items={items} kind="quiet" />
      {editing ? (
        <Button onClick={() => onEdit(false)}>{ui('form.cancel')}</Button>
      ) : (
        <Moves {...{ row, onEdit, onOpen }} />
      )}
    </>
  )
}

/** What is done to the contract itself. */
function Moves({ row, onEdit, onOpen }: Pick<Props, 'row' | 'onEdit' | 'onOpen'>) {
  const { t } = useTranslation('contract')
  const { line } = useConnection()
  const whyNoLine = line === 'online' ? null : t('needsLine')
  const whyNot = (move: 'change' | 'extend') => {
    const why = whyNotContract(move, row.state)
    return why && t(`whyNot.${why}`)
  }
  const due = payableOf(row)
  return (
    <>
      {row.contract_id > 0 && row.state !== 'overwritten' && (
        <Button icon="edit" whyNot={whyNot('change')} onClick={() => onEdit(true)}>
          {t('act.modify')}
        </Button>
      )}
      {row.contract_id > 0 && (
        <Button kind={due ? 'quiet' : 'primary'} whyNot={whyNot('extend')} onClick={() => onOpen({ kind: 'extend' })}>
          {t('act.extend')}
        </Button>
      )}
      {due && (
        <Button kind="primary" whyNot={whyNoLine} onClick={() => onOpen({ kind: 'pay', order: due })}>
          {t('act.pay', { amount: `${row.currency} ${grouped(due.pay_amount ?? '0.00')}` })}
        </Button>
      )}
    </>
  )
}

/** What is done seldom. While it is edited nothing else is begun. */
function useItems({ row, editing, onRefresh, onOpen }: Pick<Props, 'row' | 'editing' | 'onRefresh' | 'onOpen'>) {
  const { t } = useTranslation('contract')
  const { caller } = useSignedIn()
  const { line } = useConnection()
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const history = historyPath({ code: 'order', name: row.code, companyId: row.company_id }, caller)
  const items: (MenuItem & { offered: boolean })[] = [
    { key: 'refresh', label: t('act.refresh'), icon: 'refresh', offered: true, onSelect: onRefresh },
    {
      key: 'print',
      label: t('act.print'),
      icon: 'print',
      offered: row.contract_id > 0,
      whyNot: line === 'online' ? null : t('needsLine'),
      onSelect: () => void dispatch(printDocument('contract', row.contract_id)),
    },
    {
      key: 'info',
      label: t('act.info'),
      icon: 'service',
      offered: row.system_status > 0 && !editing,
      onSelect: () => onOpen({ kind: 'info' }),
    },
    {
      // The reminders of the provider's own client type (M105).
      key: 'alert',
      label: t('act.alert'),
      icon: 'mail',
      offered: isDeleteLevel(caller) && row.client_type === 'mma' && !editing,
      onSelect: () => onOpen({ kind: 'alert' }),
    },
    {
      key: 'history',
      label: t('act.history'),
      icon: 'history',
      offered: history !== null && !editing,
      onSelect: () => history !== null && void navigate(history),
    },
    {
      key: 'remove',
      label: t('act.remove'),
      icon: 'remove',
      danger: true,
      offered: row.state === 'unpaid' && !editing,
      onSelect: () => onOpen({ kind: 'remove', what: 'order' }),
    },
  ]
  return items.filter(({ offered }) => offered)
}
